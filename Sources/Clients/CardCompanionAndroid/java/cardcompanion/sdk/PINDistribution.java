package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;

/**
 * PIN distribution (SDK document, sections 4.1 and 4.2): fetch the PIN's image, show it, and notify the server.
 *
 * <p>The operations wait for the network: do not call them on the main thread, or use {@link Async}. They do not throw:
 * errorCode of the response is 0 for success, a {@link DistributionCode} or a {@link LibraryCode}. They use the shared
 * {@link CardCompanionSession}.
 */
public final class PINDistribution {
    private PINDistribution() {}

    /**
     * Fetches the cardholder's PIN with an authentication code (SDK document, section 4.1.1).
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the PIN, or the code of an error
     */
    public static ProvisioningResponse postGetPINCaptchaRequest(
            Object context, ProvisioningParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postGetPINCaptchaRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the PIN, or the code of an error
     */
    public static ProvisioningResponse postGetPINCaptchaRequest(
            ProvisioningParameters parameters, String hostUrl, Object context) {
        return postGetPINCaptchaRequest(context, parameters, hostUrl);
    }

    /**
     * Notifies the server whether the app showed a PIN that it fetched with an authentication code (SDK document,
     * section 4.1.1).
     *
     * <p>If the notify fails on the way, the app can send it again. If this session fetched no PIN with this
     * sessionId within the last 24 hours, the code is 90000. So that it works after the app was closed, see {@link
     * CardCompanionSession#setReceiptStore}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the code
     */
    public static NotifyResponse postNotifyRequest(
            Object context, NotifyParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postNotifyRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the code
     */
    public static NotifyResponse postNotifyRequest(
            NotifyParameters parameters, String hostUrl, Object context) {
        return postNotifyRequest(context, parameters, hostUrl);
    }

    /**
     * Fetches the cardholder's PIN with a token that the bank's back-end has signed (SDK document, section 4.2.1).
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the PIN, or the code of an error
     */
    public static GetPINTokenResponse postGetPINCaptchaTokenRequest(
            Object context, TokenProvisioningParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postGetPINCaptchaTokenRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the PIN, or the code of an error
     */
    public static GetPINTokenResponse postGetPINCaptchaTokenRequest(
            TokenProvisioningParameters parameters, String hostUrl, Object context) {
        return postGetPINCaptchaTokenRequest(context, parameters, hostUrl);
    }

    /**
     * Notifies the server whether the app showed a PIN that it fetched with a token (SDK document, section 4.2.1).
     * See {@link #postNotifyRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @return the code
     */
    public static TokenNotifyResponse postNotifyTokenRequest(
            Object context, TokenNotifyParameters parameters, String hostUrl) {
        return CardCompanionSession.shared().postNotifyTokenRequest(parameters, hostUrl);
    }

    /**
     * The same with the parameters in the order of the SDK document's tables.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL, https://host[:port][/path]
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the code
     */
    public static TokenNotifyResponse postNotifyTokenRequest(
            TokenNotifyParameters parameters, String hostUrl, Object context) {
        return postNotifyTokenRequest(context, parameters, hostUrl);
    }

    /**
     * Makes the key of one fetch with an authentication code, so that the bank's hashMac can be bound to it.
     * Generating it can take a second: do not call this on the main thread.
     *
     * @return the key, for {@link ProvisioningParameters#withPreparedFetch}; or code 90004
     */
    public static PreparedFetch prepareFetch() {
        return PreparedFetch.generate(Algorithm.RSA_OAEP_256);
    }

    /**
     * Makes the key of one fetch with a token, so that the token can be bound to it.
     *
     * @return the key, for {@link TokenProvisioningParameters#withPreparedFetch}; or code 90008
     */
    public static PreparedFetch prepareTokenFetch() {
        return PreparedFetch.generate(Algorithm.ECDH_ES_A256KW);
    }
}
