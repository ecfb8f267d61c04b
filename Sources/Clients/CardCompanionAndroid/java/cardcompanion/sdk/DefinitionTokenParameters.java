package cardcompanion.sdk;

import java.nio.CharBuffer;
import java.util.List;

/**
 * The parameters of {@link PINDefinition#postDefinePINECDHRequest} and {@link
 * PINDefinition#postDefinePINECDHCBRequest} (SDK document, sections 4.4.1 and 4.5.1). A PIN in a {@code char[]} is
 * neither copied nor changed here: overwrite it when the operation has ended.
 */
public final class DefinitionTokenParameters extends Redacted {
    final String token;
    final String signature;
    /** Null if there is a sealed PIN. */
    final CharSequence pinOrIndexes;
    /** Null for the cardholder's newest keypad. */
    final String keypadId;
    /** Null if there is a PIN. */
    final SealedPIN sealed;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param token the token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it
     * @param signature the token's signature in base64
     * @param pinOrIndexes the PIN's digits, such as 1234, for {@code postDefinePINECDHRequest}; or the index of each
     *     digit on the keypad, such as "0,1,0,1" or "[0, 1, 0, 1]", for {@code postDefinePINECDHCBRequest}
     */
    public DefinitionTokenParameters(String token, String signature, String pinOrIndexes) {
        this(token, signature, pinOrIndexes, null, null);
    }

    /**
     * Creates the parameters with a PIN, or indexes written as "0,1,0,1", that the app can overwrite.
     *
     * @param token the token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it
     * @param signature the token's signature in base64
     * @param pinOrIndexes the PIN's digits, or the index of each digit on the keypad
     */
    public DefinitionTokenParameters(String token, String signature, char[] pinOrIndexes) {
        this(token, signature, pinOrIndexes == null ? null : CharBuffer.wrap(pinOrIndexes), null, null);
    }

    /**
     * Creates the parameters for a PIN on a keypad (CB).
     *
     * @param token the token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it
     * @param signature the token's signature in base64
     * @param indexes the index of each digit on the keypad, counted from 0, see {@link KeyPad#indexes}
     */
    public DefinitionTokenParameters(String token, String signature, List<?> indexes) {
        this(token, signature, indexes == null ? null : indexes.toString(), null, null);
    }

    /**
     * Creates the parameters with a PIN, or indexes, that are sealed already, so that the bank's token could be bound
     * to them.
     *
     * @param token the token in JSON, with the member {@code Binding}; it names the bank, the cardholder and the
     *     IdTransaction that the PIN was sealed for
     * @param signature the token's signature in base64
     * @param sealedPIN what {@link PINDefinition#sealPINECDH} or {@link PINDefinition#sealPINECDHCB} gave
     */
    public DefinitionTokenParameters(String token, String signature, SealedPIN sealedPIN) {
        this(token, signature, null, null, sealedPIN);
    }

    private DefinitionTokenParameters(
            String token, String signature, CharSequence pinOrIndexes, String keypadId, SealedPIN sealed) {
        this.token = token;
        this.signature = signature;
        this.pinOrIndexes = pinOrIndexes;
        this.keypadId = keypadId;
        this.sealed = sealed;
    }

    /**
     * Parameters that name their keypad. Without it, it is the one that the session has handed out last for this bank
     * and cardholder within five minutes.
     *
     * @param keypadId what {@link KeyPadCoordinatesResponse#keypadId} was; a sealed PIN has its own, which counts
     * @return the new parameters
     */
    public DefinitionTokenParameters withKeypadId(String keypadId) {
        return new DefinitionTokenParameters(token, signature, pinOrIndexes, keypadId, sealed);
    }
}
