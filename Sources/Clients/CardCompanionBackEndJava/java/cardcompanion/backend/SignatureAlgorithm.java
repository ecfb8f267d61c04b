package cardcompanion.backend;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import javax.crypto.Mac;

/** The signature algorithms that the server takes (RFC 9421 section 3.3). */
public enum SignatureAlgorithm {
    /** Ed25519. It needs Java 15. */
    ED25519("ed25519", "Ed25519"),
    /** ECDSA on P-256 with SHA-256. */
    ECDSA_P256_SHA256("ecdsa-p256-sha256", "SHA256withECDSAinP1363Format"),
    /** RSASSA-PSS with SHA-512 and a salt of 64 bytes. */
    RSA_PSS_SHA512("rsa-pss-sha512", "RSASSA-PSS"),
    /** RSASSA-PKCS1-v1_5 with SHA-256. */
    RSA_V1_5_SHA256("rsa-v1_5-sha256", "SHA256withRSA"),
    /** HMAC with SHA-256. */
    HMAC_SHA256("hmac-sha256", "HmacSHA256");

    private static final AlgorithmParameterSpec PSS =
        new PSSParameterSpec("SHA-512", "MGF1", MGF1ParameterSpec.SHA512, 64, 1);

    private final String registeredName;
    private final String javaName;

    SignatureAlgorithm(String registeredName, String javaName) {
        this.registeredName = registeredName;
        this.javaName = javaName;
    }

    /**
     * The registered name, as {@code card-companion issuer-key add --algorithm} takes it.
     *
     * @return for example {@code ed25519}
     */
    public String registeredName() {
        return registeredName;
    }

    byte[] sign(Key key, byte[] message) throws GeneralSecurityException {
        if (this == HMAC_SHA256) {
            Mac mac = Mac.getInstance(javaName);
            mac.init(key);
            return mac.doFinal(message);
        }
        Signature signature = signature();
        signature.initSign((PrivateKey) key);
        signature.update(message);
        return signature.sign();
    }

    boolean verifies(PublicKey key, byte[] message, byte[] bytes) throws GeneralSecurityException {
        Signature signature = signature();
        signature.initVerify(key);
        signature.update(message);
        return signature.verify(bytes);
    }

    private Signature signature() throws GeneralSecurityException {
        Signature signature = Signature.getInstance(javaName);
        if (this == RSA_PSS_SHA512) signature.setParameter(PSS);
        return signature;
    }
}
