package cardcompanion.sdk.internal;

/** JSON that is malformed, or a member that is missing or has another type. The message quotes no value. */
public final class JsonException extends Exception {
    private static final long serialVersionUID = 1;

    public JsonException(String message) {
        super(message, null, false, false);
    }
}
