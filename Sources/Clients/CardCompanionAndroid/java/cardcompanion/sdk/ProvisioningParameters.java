package cardcompanion.sdk;

/**
 * The parameters of {@link PINDistribution#postGetPINCaptchaRequest} (SDK document, section 4.1.1). They do not change;
 * each {@code with} method returns others.
 */
public final class ProvisioningParameters extends Redacted {
    final String bankId;
    final String uniqueId;
    final String authCode;
    final String timestamp;
    final String hashMac;
    final DisplayHints hints;
    final PreparedFetch prepared;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param authCode the cardholder's authentication code
     * @param timestamp Unix time in seconds, such as 1475255010, from the bank's back-end
     * @param hashMac the bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, from the bank's back-end; with
     *     {@link #withPreparedFetch} over bankId + uniqueId + timestamp + "." + binding + "."
     */
    public ProvisioningParameters(
            String bankId, String uniqueId, String authCode, String timestamp, String hashMac) {
        this(bankId, uniqueId, authCode, timestamp, hashMac, DisplayHints.NONE, null);
    }

    private ProvisioningParameters(
            String bankId, String uniqueId, String authCode, String timestamp, String hashMac, DisplayHints hints,
            PreparedFetch prepared) {
        this.bankId = bankId;
        this.uniqueId = uniqueId;
        this.authCode = authCode;
        this.timestamp = timestamp;
        this.hashMac = hashMac;
        this.hints = hints;
        this.prepared = prepared;
    }

    /**
     * Parameters with hints.
     *
     * @param hints how the app would like to get the PIN
     * @return the new parameters
     */
    public ProvisioningParameters withHints(DisplayHints hints) {
        return new ProvisioningParameters(bankId, uniqueId, authCode, timestamp, hashMac, hints, prepared);
    }

    /**
     * Parameters with the key that the bank's proof is bound to.
     *
     * @param prepared what {@link PINDistribution#prepareFetch} gave
     * @return the new parameters
     */
    public ProvisioningParameters withPreparedFetch(PreparedFetch prepared) {
        return new ProvisioningParameters(bankId, uniqueId, authCode, timestamp, hashMac, hints, prepared);
    }
}
