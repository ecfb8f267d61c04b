package cardcompanion.backend;

import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs the calls of a bank's back-end (RFC 9421) with a key that the operator has registered for the bank
 * ({@code card-companion issuer-key add}).
 *
 * <pre>{@code
 * Map<String, String> headers = new HashMap<>(Map.of("Content-Type", "application/json", "Idempotency-Key", changeId));
 * headers.putAll(signer.sign("PUT", url, headers, body));
 * }</pre>
 */
public final class RequestSigner {
    /** A call with one of these fields does something else than the call without it. So the server requires that they are signed. */
    private static final Set<String> CONDITIONS = Set.of("if-match", "if-none-match", "idempotency-key");
    private static final int NONCE_BYTE_COUNT = 18;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String keyId;
    private final SignatureAlgorithm algorithm;
    private final Key key;
    private final Clock clock;
    private final Supplier<String> nonces;

    /**
     * Signs with a private key, which can be in an HSM: {@link java.security.Signature} finds the key's provider.
     *
     * @param keyId the ID under which the key is registered
     * @param algorithm the registered algorithm
     * @param key the private key
     * @throws IllegalArgumentException if the algorithm has no private keys, or the ID cannot be written in a signature
     */
    public RequestSigner(String keyId, SignatureAlgorithm algorithm, PrivateKey key) {
        this(keyId, algorithm, key, Clock.systemUTC(), RequestSigner::newNonce);
        if (algorithm == SignatureAlgorithm.HMAC_SHA256) throw new IllegalArgumentException("HMAC has no private key");
    }

    /**
     * Signs with HMAC.
     *
     * @param keyId the ID under which the key is registered
     * @param secret the bytes of the HMAC key, which are copied
     * @throws IllegalArgumentException if there are none, or the ID cannot be written in a signature
     */
    public RequestSigner(String keyId, byte[] secret) {
        this(keyId, SignatureAlgorithm.HMAC_SHA256, new SecretKeySpec(secret, "HmacSHA256"), Clock.systemUTC(), RequestSigner::newNonce);
    }

    RequestSigner(String keyId, SignatureAlgorithm algorithm, Key key, Clock clock, Supplier<String> nonces) {
        boolean isPlain = RequestParts.isPrintable(keyId) && keyId.indexOf('"') < 0 && keyId.indexOf('\\') < 0;
        if (!isPlain || keyId.isEmpty()) throw new IllegalArgumentException("the key's ID must be printable ASCII without quotes");
        this.keyId = keyId;
        this.algorithm = algorithm;
        this.key = key;
        this.clock = clock;
        this.nonces = nonces;
    }

    /**
     * Signs a call. Send it exactly so, with what this returns added to its header fields. It can be sent once: sign it again for a
     * retry. An {@code Idempotency-Key} stays the same then.
     *
     * @param method in capital letters, such as {@code PUT}
     * @param url the whole URL, as it is sent
     * @param headers the header fields; If-Match, If-None-Match and Idempotency-Key are signed
     * @param body the bytes that are sent; empty if there are none
     * @return the fields Signature-Input and Signature, and Content-Digest if there is a body
     * @throws IllegalArgumentException if something in the call cannot be signed
     * @throws GeneralSecurityException if the key cannot sign
     */
    public Map<String, String> sign(String method, URI url, Map<String, String> headers, byte[] body)
            throws GeneralSecurityException {
        Map<String, String> components = RequestParts.of(method, url);
        components.putAll(conditions(headers));
        Map<String, String> added = new LinkedHashMap<>();
        if (body.length > 0) {
            added.put("Content-Digest", ContentDigest.of(body));
            components.put("content-digest", added.get("Content-Digest"));
        }
        String parameters = "(\"" + String.join("\" \"", components.keySet()) + "\");created=" + clock.instant().getEpochSecond()
            + ";keyid=\"" + keyId + "\";nonce=\"" + nonces.get() + "\"";
        byte[] signature = algorithm.sign(key, SignatureBase.of(components, parameters));
        added.put("Signature-Input", "sig=" + parameters);
        added.put("Signature", "sig=:" + Base64.getEncoder().encodeToString(signature) + ":");
        return added;
    }

    /** The fields that must be signed. */
    private static Map<String, String> conditions(Map<String, String> headers) {
        Map<String, String> conditions = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!CONDITIONS.contains(lower)) return;
            String text = value.strip();
            if (!RequestParts.isPrintable(text)) throw new IllegalArgumentException(name + " must be printable ASCII");
            if (conditions.put(lower, text) != null) throw new IllegalArgumentException(name + " is there twice");
        });
        return conditions;
    }

    private static String newNonce() {
        byte[] bytes = new byte[NONCE_BYTE_COUNT];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
