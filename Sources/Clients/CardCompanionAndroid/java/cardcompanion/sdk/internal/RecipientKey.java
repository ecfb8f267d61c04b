package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;

/** The client's key pair for one fetch. The server encrypts the PIN to it. */
public final class RecipientKey {
    private static final int RSA_BITS = 2048;

    public final Algorithm algorithm;
    private final PrivateKey privateKey;
    /** The public key: a DER SubjectPublicKeyInfo. */
    private final byte[] publicKeyInfo;

    public RecipientKey(Algorithm algorithm, KeyPair keys) {
        this.algorithm = algorithm;
        privateKey = keys.getPrivate();
        publicKeyInfo = keys.getPublic().getEncoded();
    }

    /** @throws LibraryException 90004 or 90008 if the device cannot generate a key */
    public static RecipientKey generate(Algorithm algorithm) throws LibraryException {
        boolean isRSA = algorithm == Algorithm.RSA_OAEP_256;
        try {
            return new RecipientKey(algorithm, isRSA ? generateRSA() : P256.generate());
        } catch (GeneralSecurityException | RuntimeException error) {
            throw new LibraryException(
                isRSA ? LibraryCode.RSA_KEY_GENERATION_FAILED : LibraryCode.EC_KEY_GENERATION_FAILED,
                "could not generate a key");
        }
    }

    private static KeyPair generateRSA() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(RSA_BITS);
        return generator.generateKeyPair();
    }

    /** The public key as it is sent: in standard base64. */
    public String publicKey() {
        return Base64.getEncoder().encodeToString(publicKeyInfo);
    }

    /** What a proof that is bound to this key contains: the key's SHA-256 in base64url. */
    public String binding() {
        return Base64Url.encode(Digests.sha256(publicKeyInfo));
    }

    /**
     * Decrypts a JWE's content key. The caller wipes it.
     *
     * @throws LibraryException 90005 if apu or apv is invalid, 90009 or 90014 if epk is invalid, 90010 if the key
     *     agreement fails, 90012 if decryption fails
     */
    byte[] unwrap(byte[] encryptedKey, JweHeader header) throws LibraryException {
        byte[] wrappingKey = algorithm == Algorithm.RSA_OAEP_256 ? null : agree(header);
        try {
            return wrappingKey == null
                ? RsaOaep.decrypt(privateKey, encryptedKey) : Aes.unwrap(wrappingKey, encryptedKey);
        } catch (GeneralSecurityException | RuntimeException error) {
            throw new LibraryException(
                LibraryCode.CONTENT_KEY_NOT_UNWRAPPED, "the content key does not unwrap with " + algorithm.name);
        } finally {
            Bytes.wipe(wrappingKey);
        }
    }

    private byte[] agree(JweHeader header) throws LibraryException {
        if (header.epk == null) throw new LibraryException(LibraryCode.UNREADABLE_EC_KEY, "the JWE has no epk");
        byte[] partyU = Base64Url.decode(header.apu == null ? "" : header.apu);
        byte[] partyV = Base64Url.decode(header.apv == null ? "" : header.apv);
        if (partyU == null || partyV == null) {
            throw new LibraryException(LibraryCode.DECRYPTION_FAILED, "apu and apv must be base64url");
        }
        byte[] secret = P256.sharedSecret(privateKey, header.epk.p256PublicKey());
        try {
            return ConcatKdf.key(secret, algorithm.name, partyU, partyV);
        } finally {
            Bytes.wipe(secret);
        }
    }
}
