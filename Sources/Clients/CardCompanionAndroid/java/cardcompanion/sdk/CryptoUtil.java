package cardcompanion.sdk;

import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.Hex;
import cardcompanion.sdk.internal.Texts;

/**
 * The HMAC of the SDK document's section 5.6. It authenticates the bank's back-end to the server. Use the bank's key
 * only in the back-end and in tests, never in an app.
 */
public final class CryptoUtil {
    private CryptoUtil() {}

    /**
     * Computes an HMAC-SHA-256. For hashMac, {@code data} is bankId + uniqueId + timestamp.
     *
     * @param key the bank's key in hex
     * @param data the text to authenticate, encoded as UTF-8
     * @return 64 lower-case hex digits; if the key is empty or not hex, an empty text, which every operation refuses
     */
    public static String computeHMAC(String key, String data) {
        byte[] bytes = key == null ? null : Hex.decode(key);
        if (bytes == null || bytes.length == 0 || data == null) return "";
        return Hex.encode(Digests.hmac(bytes, Texts.utf8(data)));
    }
}
