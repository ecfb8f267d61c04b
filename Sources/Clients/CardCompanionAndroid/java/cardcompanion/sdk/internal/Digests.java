package cardcompanion.sdk.internal;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256, and HMAC with it. Every Android and every JDK has both. */
public final class Digests {
    private Digests() {}

    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("SHA-256 is missing");
        }
    }

    /** @param key at least one byte */
    public static byte[] hmac(byte[] key, byte[] bytes) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("HmacSHA256 is missing");
        }
    }
}
