package cardcompanion.sdk;

/** Former names of operations, from before version 1.7 (SDK document, table 4). */
public final class DefinitionTokenRequest {
    private DefinitionTokenRequest() {}

    /**
     * The former name of {@link PINDefinition#postDefinePINECDHRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINECDHRequest}
     */
    @Deprecated
    public static GetPINTokenResponse definePinToken(
            Object context, DefinitionTokenParameters parameters, String hostUrl) {
        return PINDefinition.postDefinePINECDHRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postDefinePINECDHRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINECDHRequest}
     */
    @Deprecated
    public static GetPINTokenResponse definePinToken(
            DefinitionTokenParameters parameters, String hostUrl, Object context) {
        return PINDefinition.postDefinePINECDHRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postGetKeyPadCoordinatesRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDefinition#postGetKeyPadCoordinatesRequest}
     */
    @Deprecated
    public static KeyPadCoordinatesResponse getKeyPadCoordinates(
            Object context, KeyPadCoordinatesParameters parameters, String hostUrl) {
        return PINDefinition.postGetKeyPadCoordinatesRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postGetKeyPadCoordinatesRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDefinition#postGetKeyPadCoordinatesRequest}
     */
    @Deprecated
    public static KeyPadCoordinatesResponse getKeyPadCoordinates(
            KeyPadCoordinatesParameters parameters, String hostUrl, Object context) {
        return PINDefinition.postGetKeyPadCoordinatesRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postDefinePINECDHCBRequest}.
     *
     * @param context the app's context, as in the SDK document. The library does not use it
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINECDHCBRequest}
     */
    @Deprecated
    public static DefinitionResponse definePinTokenCB(
            Object context, DefinitionTokenParameters parameters, String hostUrl) {
        return PINDefinition.postDefinePINECDHCBRequest(context, parameters, hostUrl);
    }

    /**
     * The former name of {@link PINDefinition#postDefinePINECDHCBRequest}.
     *
     * @param parameters what the request says
     * @param hostUrl the server's base URL
     * @param context the app's context, as in the SDK document. The library does not use it
     * @return the response
     * @deprecated use {@link PINDefinition#postDefinePINECDHCBRequest}
     */
    @Deprecated
    public static DefinitionResponse definePinTokenCB(
            DefinitionTokenParameters parameters, String hostUrl, Object context) {
        return PINDefinition.postDefinePINECDHCBRequest(context, parameters, hostUrl);
    }
}
