package cardcompanion.backend;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public final class SigningTest {
    private static final Set<SignatureAlgorithm> REPEATABLE =
        EnumSet.of(SignatureAlgorithm.ED25519, SignatureAlgorithm.RSA_V1_5_SHA256, SignatureAlgorithm.HMAC_SHA256);
    private static final URI CARDHOLDER = URI.create("https://pin.example.com/v1/banks/B/cardholders/c");

    private final Vectors vectors = new Vectors();

    public SigningTest() throws Exception {}

    @Test
    public void eachVectorIsReproducedOrVerified() throws Exception {
        Set<SignatureAlgorithm> seen = EnumSet.noneOf(SignatureAlgorithm.class);
        for (JsonObject call : vectors.list("requests")) {
            String name = call.text("name");
            SignatureAlgorithm algorithm = Vectors.algorithm(call);
            Map<String, String> fields = sign(call, algorithm);
            assertEquals(name, call.text("signatureInput"), fields.get("Signature-Input"));
            assertEquals(name, call.text("contentDigest"), fields.get("Content-Digest"));
            byte[] base = call.text("signatureBase").getBytes(StandardCharsets.US_ASCII);
            if (REPEATABLE.contains(algorithm)) {
                assertEquals(name, call.text("signature"), fields.get("Signature"));
            } else {
                // Ours is valid, and so is that of the vector.
                for (String signature : List.of(fields.get("Signature"), call.text("signature"))) {
                    assertTrue(name, algorithm.verifies(vectors.publicKey(call), base, bytes(signature)));
                }
            }
            seen.add(algorithm);
        }
        assertEquals(EnumSet.allOf(SignatureAlgorithm.class), seen);
    }

    private Map<String, String> sign(JsonObject call, SignatureAlgorithm algorithm) throws Exception {
        String nonce = call.text("nonce");
        RequestSigner signer =
            new RequestSigner(call.text("keyId"), algorithm, vectors.key(call), Vectors.clock(0), () -> nonce);
        Map<String, String> headers = new LinkedHashMap<>();
        for (JsonObject field : call.objects("fields")) headers.put(field.text("name"), field.text("value"));
        return signer.sign(call.text("method"), URI.create(call.text("url")), headers, Vectors.body(call));
    }

    private static byte[] bytes(String signature) {
        return Base64.getDecoder().decode(signature.substring("sig=:".length(), signature.length() - 1));
    }

    @Test
    public void eachCallHasAnotherNonce() throws Exception {
        Set<String> nonces = new HashSet<>();
        for (int number = 0; number < 100; number++) {
            String input = signer().sign("GET", CARDHOLDER, Map.of(), new byte[0]).get("Signature-Input");
            nonces.add(input.substring(input.indexOf("nonce=")));
        }
        assertEquals(100, nonces.size());
    }

    @Test
    public void onlyTheFieldsThatAreAddedAreReturned() throws Exception {
        Map<String, String> headers = Map.of("IF-MATCH", " \"1\" ", "Content-Type", "application/json");
        Map<String, String> fields = signer().sign("PUT", CARDHOLDER, headers, Vectors.utf8("{}"));
        assertEquals(Set.of("Content-Digest", "Signature-Input", "Signature"), fields.keySet());
        assertTrue(fields.get("Signature-Input").startsWith(
            "sig=(\"@method\" \"@authority\" \"@path\" \"if-match\" \"content-digest\");created="));
    }

    @Test
    public void whatCannotBeSignedIsRefused() throws Exception {
        for (String url : List.of(
            "/v1/banks", "ftp://pin.example.com/x", "https:///x", "https://user@pin.example.com/x", "https://pin.example.com/x#y",
            "https://pin.example.com/\u00e9")) {
            assertThrows(url, IllegalArgumentException.class, () -> signer().sign("GET", URI.create(url), Map.of(), new byte[0]));
        }
        for (String method : List.of("", "get", "GET ", "GET\n")) {
            assertThrows(method, IllegalArgumentException.class, () -> signer().sign(method, CARDHOLDER, Map.of(), new byte[0]));
        }
        for (String value : List.of("a\nb", "\u00e9", "\u007f")) {
            Map<String, String> headers = Map.of("Idempotency-Key", value);
            assertThrows(value, IllegalArgumentException.class, () -> signer().sign("PUT", CARDHOLDER, headers, new byte[0]));
        }
        Map<String, String> twice = Map.of("If-Match", "\"1\"", "if-match", "\"2\"");
        assertThrows(IllegalArgumentException.class, () -> signer().sign("PUT", CARDHOLDER, twice, new byte[0]));
    }

    @Test
    public void keysAndNamesThatDoNotFitAreRefused() throws Exception {
        PrivateKey key = KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate();
        for (String keyId : List.of("", "a\"b", "a\\b", "a\nb", "\u00e9")) {
            assertThrows(IllegalArgumentException.class, () -> new RequestSigner(keyId, SignatureAlgorithm.ED25519, key));
        }
        assertThrows(IllegalArgumentException.class, () -> new RequestSigner("k", SignatureAlgorithm.HMAC_SHA256, key));
        assertThrows(IllegalArgumentException.class, () -> new RequestSigner("k", new byte[0]));
        RequestSigner wrong = new RequestSigner("k", SignatureAlgorithm.ECDSA_P256_SHA256, key);
        assertThrows(java.security.GeneralSecurityException.class, () -> wrong.sign("GET", CARDHOLDER, Map.of(), new byte[0]));
    }

    private static RequestSigner signer() {
        return new RequestSigner("k", new byte[32]);
    }
}
