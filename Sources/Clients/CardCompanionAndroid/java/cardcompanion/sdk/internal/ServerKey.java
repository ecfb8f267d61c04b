package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A public key of the server. A defined PIN is encrypted to it. */
public final class ServerKey {
    private static final byte[] NOTHING = new byte[0];

    private final Algorithm algorithm;
    private final String kid;
    private final PublicKey publicKey;

    /**
     * The first key in the set for the algorithm that the app trusts.
     *
     * @param set the server's published keys (RFC 7517 section 5)
     * @param pinned the thumbprints (RFC 7638) of the keys that the app trusts; if empty, all keys are trusted
     * @throws LibraryException 90003 if the set has no usable key for the algorithm, 90009 if none of them is pinned or
     *     the point is not on the curve, 90014 if an EC key is invalid
     */
    public ServerKey(JsonObject set, Algorithm algorithm, Set<String> pinned) throws LibraryException {
        List<Jwk> fitting = fitting(set, algorithm);
        if (fitting.isEmpty()) {
            throw new LibraryException(
                LibraryCode.BAD_ANSWER_FORMAT, "the server publishes no key for " + algorithm.name);
        }
        fitting.removeIf(key -> !pinned.isEmpty() && !pinned.contains(key.thumbprint()));
        if (fitting.isEmpty()) {
            throw new LibraryException(
                LibraryCode.UNTRUSTED_SERVER_KEY, "the app has pinned none of the server's keys");
        }
        this.algorithm = algorithm;
        Jwk key = fitting.get(0);
        kid = key.kid;
        publicKey = algorithm == Algorithm.RSA_OAEP_256 ? key.rsaPublicKey() : key.p256PublicKey();
    }

    private static List<Jwk> fitting(JsonObject set, Algorithm algorithm) throws LibraryException {
        List<Jwk> keys = new ArrayList<>();
        try {
            List<JsonObject> items = set.objects("keys");
            if (items == null) throw new JsonException("keys is missing");
            for (JsonObject item : items) keys.add(new Jwk(item));
        } catch (JsonException error) {
            throw new LibraryException(LibraryCode.BAD_ANSWER_FORMAT, "the answer is not a JWK set");
        }
        keys.removeIf(key -> !isMeant(key, algorithm));
        return keys;
    }

    private static boolean isMeant(Jwk key, Algorithm algorithm) {
        return key.kty.equals(algorithm.keyType) && key.kid != null && (key.use == null || key.use.equals("enc"))
            && (key.alg == null || key.alg.equals(algorithm.name));
    }

    /**
     * Encrypts a plaintext. Its header says which request it is for. The caller wipes the plaintext.
     *
     * @throws LibraryException 90010 if the key agreement fails, 90005 if encryption fails
     */
    public String seal(byte[] plaintext, RequestBinding request) throws LibraryException {
        SecureRandom random = new SecureRandom();
        byte[] contentKey = new byte[Aes.KEY_BYTE_COUNT];
        byte[] iv = new byte[Aes.IV_BYTE_COUNT];
        random.nextBytes(contentKey);
        random.nextBytes(iv);
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("alg", algorithm.name);
        header.put("enc", Algorithm.CONTENT_ENCRYPTION);
        header.put("kid", kid);
        try {
            byte[] encryptedKey = algorithm == Algorithm.RSA_OAEP_256
                ? RsaOaep.encrypt(publicKey, contentKey) : agreeAndWrap(contentKey, header);
            header.putAll(request.headerParameters());
            return CompactJwe.write(JsonWriter.write(header), encryptedKey, contentKey, iv, plaintext);
        } catch (GeneralSecurityException error) {
            throw new LibraryException(LibraryCode.DECRYPTION_FAILED, "the content could not be encrypted");
        } finally {
            Bytes.wipe(contentKey);
        }
    }

    /** Wraps the content key with a new key pair that is used once, and adds its public key to the header. */
    private byte[] agreeAndWrap(byte[] contentKey, Map<String, Object> header)
            throws GeneralSecurityException, LibraryException {
        KeyPair ephemeral = P256.generate();
        byte[] secret = P256.sharedSecret(ephemeral.getPrivate(), publicKey);
        byte[] wrappingKey = ConcatKdf.key(secret, algorithm.name, NOTHING, NOTHING);
        try {
            header.put("epk", Jwk.members((ECPublicKey) ephemeral.getPublic()));
            return Aes.wrap(wrappingKey, contentKey);
        } finally {
            Bytes.wipe(secret, wrappingKey);
        }
    }
}
