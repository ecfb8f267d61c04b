package cardcompanion.example.model;

/**
 * The bank's back-end, as the app sees it. It authenticates the cardholder before it makes a proof. Its functions
 * wait for the network, and throw an IllegalStateException with a message for people if they fail.
 */
public interface Bank {
    /** The bank's identifier. */
    String bankId();

    /** The Unix time in seconds, by the back-end's clock. */
    String timestamp();

    /** A new IdTransaction. */
    String transactionId();

    /**
     * The hashMac of a request.
     *
     * @param binding what the request is bound to: the digest of the app's key, or of the sealed PIN
     */
    String hashMac(String uniqueId, String timestamp, String binding);

    /**
     * A token for a request, signed.
     *
     * @param type 00 for the delivery of a PIN, 02 for its definition
     * @param authCode the cardholder's authentication code, which a PCI-CPP bank puts into the token; empty: none
     * @param binding what the request is bound to: the digest of the app's key, or of the sealed PIN
     */
    SignedToken token(String uniqueId, String transactionId, String type, String authCode, String binding);

    /** A token and its signature in base64. */
    final class SignedToken {
        public final String token;
        public final String signature;

        public SignedToken(String token, String signature) {
            this.token = token;
            this.signature = signature;
        }
    }
}
