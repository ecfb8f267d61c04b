package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class GetPinToken {
    private GetPinToken() {}

    /**
     * The former name of {@link PINDistribution#postGetPINCaptchaTokenRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDistribution#postGetPINCaptchaTokenRequest}
     */
    @Deprecated
    public static GetPINTokenResponse getPinTokenCaptcha(
            Object context, TokenProvisioningParameters parameters, String hostUrl) {
        return PINDistribution.postGetPINCaptchaTokenRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDistribution#postGetPINCaptchaTokenRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDistribution#postGetPINCaptchaTokenRequest}
     */
    @Deprecated
    public static GetPINTokenResponse getPinTokenCaptcha(
            TokenProvisioningParameters parameters, String hostUrl, Object context) {
        return PINDistribution.postGetPINCaptchaTokenRequest(context, parameters, hostUrl);
    }
}
