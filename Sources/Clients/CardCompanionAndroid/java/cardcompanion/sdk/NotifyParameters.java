package cardcompanion.sdk;

/**
 * The parameters of {@link PINDistribution#postNotifyRequest} (SDK document, section 4.1.1).
 *
 * <p>All of them can be texts, and the SDK document gives them in two orders. This is the order of its sample:
 * <b>sessionId, bankId, uniqueId, status</b>. Its table begins with bankId. So the operation checks that the first
 * one has the form of a session's identifier, and answers 90000 with this order if not.
 */
public final class NotifyParameters {
    final String sessionId;
    final String bankId;
    final String uniqueId;
    final int status;

    /**
     * Creates the parameters, in the order of the SDK document's sample.
     *
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param status whether the app showed the PIN
     */
    public NotifyParameters(String sessionId, String bankId, String uniqueId, NotifyStatus status) {
        this(sessionId, bankId, uniqueId, Status.of(status));
    }

    /**
     * Creates the parameters, in the order of the SDK document's sample.
     *
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param status "0", "1" or "2", see {@link NotifyStatus}
     */
    public NotifyParameters(String sessionId, String bankId, String uniqueId, String status) {
        this(sessionId, bankId, uniqueId, Status.of(status));
    }

    /**
     * Creates the parameters, in the order of the SDK document's sample.
     *
     * @param sessionId the session of the fetch, see {@link ProvisioningResponse#sessionId}
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param status 0, 1 or 2, see {@link NotifyStatus}
     */
    public NotifyParameters(String sessionId, String bankId, String uniqueId, int status) {
        this.sessionId = sessionId;
        this.bankId = bankId;
        this.uniqueId = uniqueId;
        this.status = status;
    }
}
