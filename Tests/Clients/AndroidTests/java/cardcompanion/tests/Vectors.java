package cardcompanion.tests;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.Hex;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.RecipientKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** A file of docs/vectors. */
public final class Vectors {
    private final JsonObject content;

    public Vectors(String name) throws IOException, JsonException {
        content = JsonParser.object(Files.readAllBytes(projectFile("docs/vectors/" + name + ".json")));
    }

    /** A file of the project, which the build's script names to the tests. */
    public static Path projectFile(String path) {
        return Paths.get(System.getProperty("cardcompanion.root")).resolve(path);
    }

    public List<JsonObject> list(String name) throws JsonException {
        return content.objects(name);
    }

    public JsonObject key(String name) throws JsonException {
        for (JsonObject key : list("keys")) {
            if (key.text("name").equals(name)) return key;
        }
        throw new AssertionError("there is no key " + name);
    }

    /** The key pair with a name, as the recipient of sealed values. */
    public RecipientKey recipient(String name) throws JsonException, GeneralSecurityException {
        Algorithm algorithm = isRSA(name) ? Algorithm.RSA_OAEP_256 : Algorithm.ECDH_ES_A256KW;
        return new RecipientKey(algorithm, pair(name));
    }

    public KeyPair pair(String name) throws JsonException, GeneralSecurityException {
        JsonObject key = key(name);
        String pem = key.text("pem").replaceAll("-----[A-Z ]+-----", "");
        KeyFactory factory = KeyFactory.getInstance(isRSA(name) ? "RSA" : "EC");
        byte[] publicKey = Base64.getDecoder().decode(key.text("publicKey"));
        return new KeyPair(
            factory.generatePublic(new X509EncodedKeySpec(publicKey)),
            factory.generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem))));
    }

    private boolean isRSA(String name) throws JsonException {
        return key(name).object("jwk").text("kty").equals("RSA");
    }

    /** A member in hex. */
    public static byte[] bytes(JsonObject vector, String name) throws JsonException {
        byte[] bytes = Hex.decode(vector.requiredText(name));
        if (bytes == null) throw new AssertionError(name + " is not hex");
        return bytes;
    }
}
