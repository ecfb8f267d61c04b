package cardcompanion.sdk;

import java.nio.CharBuffer;

/**
 * The parameters of {@link PINDefinition#postDefinePINRequest} (SDK document, section 4.3.1). A PIN in a {@code
 * char[]} is neither copied nor changed here: overwrite it when the operation has ended.
 */
public final class DefinitionParameters extends Redacted {
    final String bankId;
    final String uniqueId;
    final String timestamp;
    final String hashMac;
    /** Null if there is a sealed PIN. */
    final CharSequence pin;
    /** Null if there is a PIN. */
    final SealedPIN sealed;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param timestamp Unix time in seconds, such as 1475255010, from the bank's back-end
     * @param hashMac the bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, from the bank's back-end
     * @param pin the PIN's digits, such as 1234
     */
    public DefinitionParameters(String bankId, String uniqueId, String timestamp, String hashMac, String pin) {
        this(bankId, uniqueId, timestamp, hashMac, pin, null);
    }

    /**
     * Creates the parameters with a PIN that the app can overwrite, in the SDK document's order.
     *
     * @param bankId the bank's identifier
     * @param uniqueId the cardholder's unique identifier
     * @param timestamp Unix time in seconds, such as 1475255010, from the bank's back-end
     * @param hashMac the bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, from the bank's back-end
     * @param pin the PIN's digits
     */
    public DefinitionParameters(String bankId, String uniqueId, String timestamp, String hashMac, char[] pin) {
        this(bankId, uniqueId, timestamp, hashMac, pin == null ? null : CharBuffer.wrap(pin), null);
    }

    /**
     * Creates the parameters with a PIN that is sealed already, so that the bank's proof could be bound to it.
     *
     * @param sealedPIN what {@link PINDefinition#sealPIN} gave, which names the bank, the cardholder and the timestamp
     * @param hashMac the bank's HMAC-SHA-256 over bankId + uniqueId + timestamp + "." + binding + "." in hex
     */
    public DefinitionParameters(SealedPIN sealedPIN, String hashMac) {
        this(
            sealedPIN == null ? null : sealedPIN.request.bankId, sealedPIN == null ? null : sealedPIN.request.uniqueId,
            sealedPIN == null ? null : sealedPIN.request.requestId, hashMac, null, sealedPIN);
    }

    private DefinitionParameters(
            String bankId, String uniqueId, String timestamp, String hashMac, CharSequence pin, SealedPIN sealed) {
        this.bankId = bankId;
        this.uniqueId = uniqueId;
        this.timestamp = timestamp;
        this.hashMac = hashMac;
        this.pin = pin;
        this.sealed = sealed;
    }
}
