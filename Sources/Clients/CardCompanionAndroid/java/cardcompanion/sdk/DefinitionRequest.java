package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class DefinitionRequest {
    private DefinitionRequest() {}

    /**
     * The former name of {@link PINDefinition#postDefinePINRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINRequest}
     */
    @Deprecated
    public static DefinitionResponse definePin(Object context, DefinitionParameters parameters, String hostUrl) {
        return PINDefinition.postDefinePINRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postDefinePINRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINRequest}
     */
    @Deprecated
    public static DefinitionResponse definePin(DefinitionParameters parameters, String hostUrl, Object context) {
        return PINDefinition.postDefinePINRequest(context, parameters, hostUrl);
    }
}
