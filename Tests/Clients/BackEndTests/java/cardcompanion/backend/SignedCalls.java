package cardcompanion.backend;

import cardcompanion.sdk.internal.JsonWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Signs a call with each algorithm and a new key, and prints each as a line of JSON, for others to verify. */
public final class SignedCalls {
    private static final URI URL = URI.create("https://pin.example.com/v1/banks/B/cardholders/c?x=%C3%A9");
    private static final String BODY = "{\"freeField\":\"5 \u20ac\"}";

    private SignedCalls() {}

    public static void main(String[] arguments) throws Exception {
        for (SignatureAlgorithm algorithm : SignatureAlgorithm.values()) {
            Map<String, Object> line = new LinkedHashMap<>();
            RequestSigner signer;
            if (algorithm == SignatureAlgorithm.HMAC_SHA256) {
                byte[] secret = new byte[32];
                new SecureRandom().nextBytes(secret);
                signer = new RequestSigner("k", secret);
                line.put("secret", Base64.getEncoder().encodeToString(secret));
            } else {
                KeyPair pair = pair(algorithm);
                signer = new RequestSigner("k", algorithm, pair.getPrivate());
                line.put("publicKey", Base64.getEncoder().encodeToString(pair.getPublic().getEncoded()));
            }
            Map<String, String> fields = new LinkedHashMap<>(Map.of("Idempotency-Key", "once"));
            fields.putAll(signer.sign("PATCH", URL, fields, BODY.getBytes(StandardCharsets.UTF_8)));
            line.put("algorithm", algorithm.registeredName());
            line.put("method", "PATCH");
            line.put("url", URL.toString());
            line.put("fields", fields);
            line.put("body", BODY);
            System.out.write((JsonWriter.write(line) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        System.out.flush();
    }

    private static KeyPair pair(SignatureAlgorithm algorithm) throws Exception {
        if (algorithm == SignatureAlgorithm.ECDSA_P256_SHA256) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        }
        return KeyPairGenerator.getInstance(algorithm == SignatureAlgorithm.ED25519 ? "Ed25519" : "RSA").generateKeyPair();
    }
}
