package cardcompanion.samples;

import cardcompanion.sdk.DefinitionParameters;
import cardcompanion.sdk.DefinitionResponse;
import cardcompanion.sdk.DefinitionTokenParameters;
import cardcompanion.sdk.GetPINTokenResponse;
import cardcompanion.sdk.KeyPadCoordinatesParameters;
import cardcompanion.sdk.KeyPadCoordinatesResponse;
import cardcompanion.sdk.NotifyParameters;
import cardcompanion.sdk.NotifyResponse;
import cardcompanion.sdk.PINDefinition;
import cardcompanion.sdk.PINDistribution;
import cardcompanion.sdk.ProvisioningParameters;
import cardcompanion.sdk.ProvisioningResponse;
import cardcompanion.sdk.TokenNotifyParameters;
import cardcompanion.sdk.TokenNotifyResponse;
import cardcompanion.sdk.TokenProvisioningParameters;
import java.util.List;

/**
 * The calls of the SDK document's Android samples (sections 4.1.1 to 4.5.1), with their classes, their order and
 * their types. That this file compiles is the first test of them.
 */
final class Samples {
    private Samples() {}

    /** Stands for the function of Android's Context. */
    private static Object getApplicationContext() {
        return new Object();
    }

    static ProvisioningResponse getPINCaptcha(
            String bankId, String cardholderId, String authCode, String timestamp, String hmac, String backEndUrl) {
        ProvisioningParameters provisioningParameters =
            new ProvisioningParameters(bankId, cardholderId, authCode, timestamp, hmac);
        ProvisioningResponse provisioningResponse = PINDistribution.postGetPINCaptchaRequest(
            getApplicationContext(), provisioningParameters, backEndUrl);
        return provisioningResponse;
    }

    static NotifyResponse notify(
            String sessionId, String bankId, String cardholderId, String status, String backEndUrl) {
        NotifyParameters notifyParameters = new NotifyParameters(sessionId, bankId, cardholderId, status);
        NotifyResponse notifyResponse =
            PINDistribution.postNotifyRequest(getApplicationContext(), notifyParameters, backEndUrl);
        return notifyResponse;
    }

    static GetPINTokenResponse getPINCaptchaByToken(String token, String signature, String hostUrl) {
        TokenProvisioningParameters provisioningParameters = new TokenProvisioningParameters(token, signature);
        GetPINTokenResponse getPINTokenResponse = PINDistribution.postGetPINCaptchaTokenRequest(
            getApplicationContext(), provisioningParameters, hostUrl);
        return getPINTokenResponse;
    }

    static TokenNotifyResponse notifyByToken(String token, String sessionId, String status, String backendUrl) {
        TokenNotifyParameters notifyParameters = new TokenNotifyParameters(token, sessionId, status);
        TokenNotifyResponse notifyResponse =
            PINDistribution.postNotifyTokenRequest(getApplicationContext(), notifyParameters, backendUrl);
        return notifyResponse;
    }

    static DefinitionResponse definePIN(
            String bankId, String uid, String timestamp, String hmac, String pin, String hostUrl) {
        DefinitionParameters definitionParameters = new DefinitionParameters(bankId, uid, timestamp, hmac, pin);
        DefinitionResponse definePINResponse =
            PINDefinition.postDefinePINRequest(getApplicationContext(), definitionParameters, hostUrl);
        return definePINResponse;
    }

    static GetPINTokenResponse definePINByToken(String token, String signature, String pin, String hostUrl) {
        DefinitionTokenParameters definitionTokenParameters = new DefinitionTokenParameters(token, signature, pin);
        GetPINTokenResponse definePINResponse =
            PINDefinition.postDefinePINECDHRequest(getApplicationContext(), definitionTokenParameters, hostUrl);
        return definePINResponse;
    }

    static KeyPadCoordinatesResponse getKeyPad(String bankId, String uniqueId, int size, String hostUrl) {
        KeyPadCoordinatesParameters keyPadCoordinatesParameters =
            new KeyPadCoordinatesParameters(bankId, uniqueId, size);
        KeyPadCoordinatesResponse keyPadCoordinatesResponse = PINDefinition.postGetKeyPadCoordinatesRequest(
            getApplicationContext(), keyPadCoordinatesParameters, hostUrl);
        return keyPadCoordinatesResponse;
    }

    static DefinitionResponse definePINByIndexes(
            String token, String signature, List<Integer> PINIndexesChosen, String hostUrl) {
        DefinitionTokenParameters definitionTokenParameters =
            new DefinitionTokenParameters(token, signature, PINIndexesChosen.toString());
        DefinitionResponse definePINResponse =
            PINDefinition.postDefinePINECDHCBRequest(getApplicationContext(), definitionTokenParameters, hostUrl);
        return definePINResponse;
    }
}
