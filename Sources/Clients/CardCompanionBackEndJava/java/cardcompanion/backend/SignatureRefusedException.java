package cardcompanion.backend;

/** A message is not signed by the server as required. The message of the exception says which check has failed. */
public final class SignatureRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    SignatureRefusedException(String message) {
        super(message);
    }
}
