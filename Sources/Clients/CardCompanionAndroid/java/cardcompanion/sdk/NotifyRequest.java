package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class NotifyRequest {
    private NotifyRequest() {}

    /**
     * The former name of {@link PINDistribution#postNotifyRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDistribution#postNotifyRequest}
     */
    @Deprecated
    public static NotifyResponse postDataForNotifyRequest(
            Object context, NotifyParameters parameters, String hostUrl) {
        return PINDistribution.postNotifyRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDistribution#postNotifyRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDistribution#postNotifyRequest}
     */
    @Deprecated
    public static NotifyResponse postDataForNotifyRequest(
            NotifyParameters parameters, String hostUrl, Object context) {
        return PINDistribution.postNotifyRequest(context, parameters, hostUrl);
    }
}
