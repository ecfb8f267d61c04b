package cardcompanion.backend;

/** The server's keys cannot be fetched or read. The same message can be right later: answer a webhook with status 503. */
public final class KeysUnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    KeysUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
