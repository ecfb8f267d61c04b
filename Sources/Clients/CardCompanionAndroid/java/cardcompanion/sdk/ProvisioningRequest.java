package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class ProvisioningRequest {
    private ProvisioningRequest() {}

    /**
     * The former name of {@link PINDistribution#postGetPINCaptchaRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDistribution#postGetPINCaptchaRequest}
     */
    @Deprecated
    public static ProvisioningResponse postDataForGetPin(
            Object context, ProvisioningParameters parameters, String hostUrl) {
        return PINDistribution.postGetPINCaptchaRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDistribution#postGetPINCaptchaRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDistribution#postGetPINCaptchaRequest}
     */
    @Deprecated
    public static ProvisioningResponse postDataForGetPin(
            ProvisioningParameters parameters, String hostUrl, Object context) {
        return PINDistribution.postGetPINCaptchaRequest(context, parameters, hostUrl);
    }
}
