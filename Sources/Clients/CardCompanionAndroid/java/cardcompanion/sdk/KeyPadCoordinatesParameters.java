package cardcompanion.sdk;

/** The parameters of {@link PINDefinition#postGetKeyPadCoordinatesRequest} (SDK document, section 4.5.1). */
public final class KeyPadCoordinatesParameters {
    final String bankId;
    final String uniqueId;
    final int keypadSize;

    /**
     * Creates the parameters, in the SDK document's order.
     *
     * @param bankId the bank's identifier (IdBEL)
     * @param uniqueId the cardholder's unique identifier (IdPorteur)
     * @param keypadSize the number of places on the keypad, 10 to 60
     */
    public KeyPadCoordinatesParameters(String bankId, String uniqueId, int keypadSize) {
        this.bankId = bankId;
        this.uniqueId = uniqueId;
        this.keypadSize = keypadSize;
    }
}
