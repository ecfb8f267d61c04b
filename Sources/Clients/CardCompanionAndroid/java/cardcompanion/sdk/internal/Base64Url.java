package cardcompanion.sdk.internal;

import java.util.Base64;

/** Base64url without padding (RFC 7515 section 2). */
public final class Base64Url {
    private Base64Url() {}

    public static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Takes the canonical form only; null for any other text, and for null. */
    public static byte[] decode(String text) {
        if (text == null) return null;
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            return encode(bytes).equals(text) ? bytes : null;
        } catch (IllegalArgumentException error) {
            return null;
        }
    }
}
