package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;

/** The code and message of an operation, from the server or from the library. */
public final class Outcome {
    public final int errorCode;
    public final String errorMessage;
    /** For how many seconds the server asks the app to wait; null if it does not. */
    public final Integer retryAfterSeconds;
    /** When a defined PIN works: "now" or "later"; null if the server does not say so. */
    public final String effective;

    private Outcome(int errorCode, String errorMessage, Integer retryAfterSeconds, String effective) {
        this.errorCode = errorCode;
        this.errorMessage = errorMessage;
        this.retryAfterSeconds = retryAfterSeconds;
        this.effective = effective;
    }

    public static Outcome success() {
        return new Outcome(0, "Success", null, null);
    }

    /** A library code with its own message. */
    public static Outcome of(int libraryCode) {
        return new Outcome(libraryCode, LibraryCode.message(libraryCode), null, null);
    }

    public static Outcome of(LibraryException error) {
        return new Outcome(error.code, error.getMessage(), error.retryAfterSeconds, null);
    }

    /** What the server answered. 90003 if the code or the message is missing. */
    public static Outcome in(JsonObject answer) throws LibraryException {
        try {
            return new Outcome(
                answer.requiredInteger("errorCode"), answer.requiredText("errorMessage"), null, effective(answer));
        } catch (JsonException error) {
            throw new LibraryException(LibraryCode.BAD_ANSWER_FORMAT, error.getMessage());
        }
    }

    /** What a later server may say besides is nothing for this app. */
    private static String effective(JsonObject answer) throws JsonException {
        String effective = answer.text("effective");
        return "now".equals(effective) || "later".equals(effective) ? effective : null;
    }

    public boolean isSuccess() {
        return errorCode == 0;
    }
}
