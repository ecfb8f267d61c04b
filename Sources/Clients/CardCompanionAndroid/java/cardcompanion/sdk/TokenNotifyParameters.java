package cardcompanion.sdk;

/** The parameters of {@link PINDistribution#postNotifyTokenRequest} (SDK document, section 4.2.1). */
public final class TokenNotifyParameters extends Redacted {
    final String token;
    final String sessionId;
    final int status;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param token the token that the fetch sent
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param status whether the app showed the PIN
     */
    public TokenNotifyParameters(String token, String sessionId, NotifyStatus status) {
        this(token, sessionId, Status.of(status));
    }

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param token the token that the fetch sent
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param status "0", "1" or "2", see {@link NotifyStatus}
     */
    public TokenNotifyParameters(String token, String sessionId, String status) {
        this(token, sessionId, Status.of(status));
    }

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param token the token that the fetch sent
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param status 0, 1 or 2, see {@link NotifyStatus}
     */
    public TokenNotifyParameters(String token, String sessionId, int status) {
        this.token = token;
        this.sessionId = sessionId;
        this.status = status;
    }
}
