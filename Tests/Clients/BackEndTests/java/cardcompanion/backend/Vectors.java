package cardcompanion.backend;

import cardcompanion.sdk.internal.Hex;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;

/** docs/vectors/signatures.json. */
final class Vectors {
    static final URI SERVER = URI.create("https://pin.example.com");
    private static final long CREATED = 1_767_225_600;
    private final JsonObject content;

    Vectors() throws IOException, JsonException {
        Path file = Path.of(System.getProperty("cardcompanion.root"), "docs", "vectors", "signatures.json");
        content = JsonParser.object(Files.readAllBytes(file));
    }

    List<JsonObject> list(String name) throws JsonException {
        return content.objects(name);
    }

    JsonObject named(String list, String name) throws JsonException {
        for (JsonObject item : list(list)) {
            if (item.text("name").equals(name)) return item;
        }
        throw new AssertionError("there is no " + name);
    }

    /** What a clock shows some seconds after the vectors were made. */
    static Clock clock(long secondsLater) {
        return Clock.fixed(Instant.ofEpochSecond(CREATED + secondsLater), ZoneOffset.UTC);
    }

    static SignatureAlgorithm algorithm(JsonObject call) throws JsonException {
        for (SignatureAlgorithm algorithm : SignatureAlgorithm.values()) {
            if (algorithm.registeredName().equals(call.text("algorithm"))) return algorithm;
        }
        throw new AssertionError(call.text("algorithm"));
    }

    /** The private key, or the HMAC key, of a call. */
    Key key(JsonObject call) throws JsonException, GeneralSecurityException {
        if (call.has("secret")) return new SecretKeySpec(Hex.decode(call.text("secret")), "HmacSHA256");
        JsonObject key = named("keys", call.text("key"));
        String pem = key.text("pem").replaceAll("-----[A-Z ]+-----", "");
        return factory(key).generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem)));
    }

    PublicKey publicKey(JsonObject call) throws JsonException, GeneralSecurityException {
        JsonObject key = named("keys", call.text("key"));
        return factory(key).generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(key.text("publicKey"))));
    }

    private static KeyFactory factory(JsonObject key) throws JsonException, GeneralSecurityException {
        return KeyFactory.getInstance(Map.of("EC", "EC", "OKP", "Ed25519", "RSA", "RSA").get(key.object("jwk").text("kty")));
    }

    /** The server's keys, which are known. */
    ServerKeys serverKeys() {
        return new ServerKeys(SERVER, url -> jwks(), () -> 0);
    }

    /** The server's JWK set. */
    byte[] jwks() {
        try {
            List<String> keys = new ArrayList<>();
            for (JsonObject key : list("serverKeys")) {
                JsonObject jwk = key.object("jwk");
                List<String> members = new ArrayList<>();
                for (String name : jwk.names()) members.add('"' + name + "\":\"" + jwk.text(name) + '"');
                keys.add("{" + String.join(",", members) + "}");
            }
            return utf8("{\"keys\":[" + String.join(",", keys) + "]}");
        } catch (JsonException error) {
            throw new AssertionError(error);
        }
    }

    SignatureVerifier verifier() {
        return new SignatureVerifier(serverKeys(), Duration.ofMinutes(5), clock(10));
    }

    /** The fields of a message: a name can come twice, in any case. */
    static Map<String, List<String>> fields(JsonObject message) throws JsonException {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        for (JsonObject field : message.objects("fields")) {
            fields.computeIfAbsent(field.text("name"), name -> new ArrayList<>()).add(field.text("value"));
        }
        return fields;
    }

    static byte[] body(JsonObject message) throws JsonException {
        return utf8(message.text("body"));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
