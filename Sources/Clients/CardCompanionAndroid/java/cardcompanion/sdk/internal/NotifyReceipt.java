package cardcompanion.sdk.internal;

/** A fetch's session and notify key as one text, for an app that stores it: 1.sessionId.key, both in base64url. */
public final class NotifyReceipt {
    /** The format's version, so that a later library can recognise receipts that an app stored before an update. */
    private static final String VERSION = "1";

    public final String sessionId;
    public final byte[] key;

    private NotifyReceipt(String sessionId, byte[] key) {
        this.sessionId = sessionId;
        this.key = key;
    }

    /** Null if the text is not exactly what {@link #text} gives. */
    public static NotifyReceipt parse(String text) {
        String[] parts = text == null ? new String[0] : text.split("\\.", -1);
        if (parts.length != 3 || !parts[0].equals(VERSION)) return null;
        byte[] session = Base64Url.decode(parts[1]);
        String sessionId = session == null ? null : Texts.fromUtf8(session);
        byte[] key = Base64Url.decode(parts[2]);
        if (sessionId == null || sessionId.isEmpty()) return null;
        if (key == null || key.length != DeliveredPin.NOTIFY_KEY_BYTE_COUNT) return null;
        return new NotifyReceipt(sessionId, key);
    }

    public static String text(String sessionId, byte[] key) {
        return String.join(".", VERSION, Base64Url.encode(Texts.utf8(sessionId)), Base64Url.encode(key));
    }
}
