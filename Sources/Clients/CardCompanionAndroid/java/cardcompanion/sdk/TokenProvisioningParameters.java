package cardcompanion.sdk;

/**
 * The parameters of {@link PINDistribution#postGetPINCaptchaTokenRequest} (SDK document, section 4.2.1). They do not
 * change; each {@code with} method returns others.
 */
public final class TokenProvisioningParameters extends Redacted {
    final String token;
    final String signature;
    final DisplayHints hints;
    final PreparedFetch prepared;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param token the token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it; with
     *     {@link #withPreparedFetch} it has the member {@code Binding}
     * @param signature the token's signature in base64
     */
    public TokenProvisioningParameters(String token, String signature) {
        this(token, signature, DisplayHints.NONE, null);
    }

    private TokenProvisioningParameters(String token, String signature, DisplayHints hints, PreparedFetch prepared) {
        this.token = token;
        this.signature = signature;
        this.hints = hints;
        this.prepared = prepared;
    }

    /**
     * Parameters with hints.
     *
     * @param hints how the app would like to get the PIN
     * @return the new parameters
     */
    public TokenProvisioningParameters withHints(DisplayHints hints) {
        return new TokenProvisioningParameters(token, signature, hints, prepared);
    }

    /**
     * Parameters with the key that the bank's proof is bound to.
     *
     * @param prepared what {@link PINDistribution#prepareTokenFetch} gave
     * @return the new parameters
     */
    public TokenProvisioningParameters withPreparedFetch(PreparedFetch prepared) {
        return new TokenProvisioningParameters(token, signature, hints, prepared);
    }
}
