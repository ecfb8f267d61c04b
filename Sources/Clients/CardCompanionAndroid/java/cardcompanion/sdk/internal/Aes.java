package cardcompanion.sdk.internal;

import java.security.GeneralSecurityException;
import java.security.Key;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A256GCM and A256KW (RFC 7518 sections 5.3 and 4.4). */
public final class Aes {
    public static final int KEY_BYTE_COUNT = 32;
    public static final int IV_BYTE_COUNT = 12;
    public static final int TAG_BYTE_COUNT = 16;

    private Aes() {}

    /** Returns the ciphertext and, behind it, the tag. */
    public static byte[] seal(byte[] key, byte[] iv, byte[] additionalData, byte[] plaintext)
            throws GeneralSecurityException {
        return gcm(Cipher.ENCRYPT_MODE, key, iv, additionalData).doFinal(plaintext);
    }

    public static byte[] open(byte[] key, byte[] iv, byte[] additionalData, byte[] ciphertext, byte[] tag)
            throws GeneralSecurityException {
        if (tag.length != TAG_BYTE_COUNT) throw new GeneralSecurityException("the tag has another length");
        return gcm(Cipher.DECRYPT_MODE, key, iv, additionalData).doFinal(Bytes.concatenated(ciphertext, tag));
    }

    public static byte[] wrap(byte[] wrappingKey, byte[] key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AESWrap");
        cipher.init(Cipher.WRAP_MODE, aesKey(wrappingKey));
        return cipher.wrap(new SecretKeySpec(key, "AES"));
    }

    public static byte[] unwrap(byte[] wrappingKey, byte[] wrappedKey) throws GeneralSecurityException {
        // RFC 3394 section 2: a wrapped key has at least three blocks of 8 bytes. Providers differ for others.
        if (wrappedKey.length % 8 != 0 || wrappedKey.length < 24) throw new GeneralSecurityException("no wrapped key");
        Cipher cipher = Cipher.getInstance("AESWrap");
        cipher.init(Cipher.UNWRAP_MODE, aesKey(wrappingKey));
        return cipher.unwrap(wrappedKey, "AES", Cipher.SECRET_KEY).getEncoded();
    }

    private static Cipher gcm(int mode, byte[] key, byte[] iv, byte[] additionalData) throws GeneralSecurityException {
        if (iv.length != IV_BYTE_COUNT) throw new GeneralSecurityException("the IV has another length");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, aesKey(key), new GCMParameterSpec(TAG_BYTE_COUNT * 8, iv));
        cipher.updateAAD(additionalData);
        return cipher;
    }

    private static Key aesKey(byte[] key) throws GeneralSecurityException {
        if (key.length != KEY_BYTE_COUNT) throw new GeneralSecurityException("the key has another length");
        return new SecretKeySpec(key, "AES");
    }
}
