package cardcompanion.sdk.internal;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.spec.MGF1ParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/** RSA-OAEP-256 (RFC 7518 section 4.3). */
final class RsaOaep {
    /** Written out, because "OAEPWithSHA-256AndMGF1Padding" means MGF1 with SHA-1 for most providers. */
    private static final OAEPParameterSpec PARAMETERS =
        new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

    private RsaOaep() {}

    static byte[] encrypt(Key publicKey, byte[] content) throws GeneralSecurityException {
        return cipher(Cipher.ENCRYPT_MODE, publicKey).doFinal(content);
    }

    static byte[] decrypt(Key privateKey, byte[] encrypted) throws GeneralSecurityException {
        return cipher(Cipher.DECRYPT_MODE, privateKey).doFinal(encrypted);
    }

    private static Cipher cipher(int mode, Key key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPPadding");
        cipher.init(mode, key, PARAMETERS);
        return cipher;
    }
}
