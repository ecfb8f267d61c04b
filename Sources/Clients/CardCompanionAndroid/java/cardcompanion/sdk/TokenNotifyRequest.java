package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class TokenNotifyRequest {
    private TokenNotifyRequest() {}

    /**
     * The former name of {@link PINDistribution#postNotifyTokenRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDistribution#postNotifyTokenRequest}
     */
    @Deprecated
    public static TokenNotifyResponse notifyPinToken(
            Object context, TokenNotifyParameters parameters, String hostUrl) {
        return PINDistribution.postNotifyTokenRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDistribution#postNotifyTokenRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDistribution#postNotifyTokenRequest}
     */
    @Deprecated
    public static TokenNotifyResponse notifyPinToken(
            TokenNotifyParameters parameters, String hostUrl, Object context) {
        return PINDistribution.postNotifyTokenRequest(context, parameters, hostUrl);
    }
}
