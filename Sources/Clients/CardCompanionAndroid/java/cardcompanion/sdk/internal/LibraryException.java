package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;

/**
 * An error that the library detected. Apps never see it: it becomes errorCode and errorMessage of the response. It
 * keeps neither a cause nor a stack, because these could quote what was being processed.
 */
public final class LibraryException extends Exception {
    private static final long serialVersionUID = 1;

    public final int code;
    /** For how many seconds the server asks the app to wait; null if it does not. */
    public final Integer retryAfterSeconds;

    public LibraryException(int code, String detail) {
        this(code, detail, null);
    }

    public LibraryException(int code, String detail, Integer retryAfterSeconds) {
        super(LibraryCode.message(code) + " (" + detail + ")", null, false, false);
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
    }
}
