package cardcompanion.example.model;

import cardcompanion.sdk.NotifyParameters;
import cardcompanion.sdk.NotifyResponse;
import cardcompanion.sdk.NotifyStatus;
import cardcompanion.sdk.PINDistribution;
import cardcompanion.sdk.PreparedFetch;
import cardcompanion.sdk.ProvisioningParameters;
import cardcompanion.sdk.ProvisioningResponse;
import cardcompanion.sdk.TokenNotifyParameters;
import cardcompanion.sdk.TokenProvisioningParameters;

/** One delivery of a PIN: the fetch, and the notify that follows it. Its functions wait for the network. */
public final class Delivery {
    private final Object context;
    private final String hostUrl;
    private final Bank bank;
    private final String uniqueId;
    /** Null if the fetch was by code. */
    private final String token;
    /** What was fetched, or the code of an error. */
    public final ProvisioningResponse response;

    private Delivery(
            Object context, String hostUrl, Bank bank, String uniqueId, String token, ProvisioningResponse response) {
        this.context = context;
        this.hostUrl = hostUrl;
        this.bank = bank;
        this.uniqueId = uniqueId;
        this.token = token;
        this.response = response;
    }

    /** Fetches the PIN with the cardholder's authentication code. The bank's hashMac is bound to the fetch's key. */
    public static Delivery byCode(Object context, String hostUrl, Bank bank, String uniqueId, String authCode) {
        PreparedFetch prepared = PINDistribution.prepareFetch();
        String timestamp = bank.timestamp();
        String hashMac = bank.hashMac(uniqueId, timestamp, prepared.getBinding());
        ProvisioningParameters parameters =
            new ProvisioningParameters(bank.bankId(), uniqueId, authCode, timestamp, hashMac)
                .withPreparedFetch(prepared);
        ProvisioningResponse response = PINDistribution.postGetPINCaptchaRequest(context, parameters, hostUrl);
        return new Delivery(context, hostUrl, bank, uniqueId, null, response);
    }

    /** Fetches the PIN with a token of the bank's, which has the code, and is bound to the key of the fetch. */
    public static Delivery byToken(Object context, String hostUrl, Bank bank, String uniqueId, String authCode) {
        PreparedFetch prepared = PINDistribution.prepareTokenFetch();
        Bank.SignedToken signed = bank.token(
            uniqueId, bank.transactionId(), "00", authCode, prepared.getBinding());
        TokenProvisioningParameters parameters =
            new TokenProvisioningParameters(signed.token, signed.signature).withPreparedFetch(prepared);
        ProvisioningResponse response = PINDistribution.postGetPINCaptchaTokenRequest(context, parameters, hostUrl);
        return new Delivery(context, hostUrl, bank, uniqueId, signed.token, response);
    }

    /** Tells the server whether the PIN was shown. */
    public NotifyResponse notify(NotifyStatus status) {
        if (token != null) {
            TokenNotifyParameters parameters = new TokenNotifyParameters(token, response.sessionId, status);
            return PINDistribution.postNotifyTokenRequest(context, parameters, hostUrl);
        }
        NotifyParameters parameters = new NotifyParameters(response.sessionId, bank.bankId(), uniqueId, status);
        return PINDistribution.postNotifyRequest(context, parameters, hostUrl);
    }
}
