package cardcompanion.sdk.internal;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import cardcompanion.sdk.KeyPad;
import cardcompanion.tests.Vectors;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The values of delivered-pins.json and defined-pins.json, step by step. */
public class SealedVectorTest {
    private static final PinPlaintext PLAINTEXT = new PinPlaintext(4, 6);

    private static final class Case {
        final Vectors file;
        final JsonObject vector;

        Case(Vectors file, JsonObject vector) {
            this.file = file;
            this.vector = vector;
        }

        String text(String name) throws JsonException {
            return vector.text(name);
        }

        byte[] bytes(String name) throws JsonException {
            return Vectors.bytes(vector, name);
        }

        boolean isECDH() throws JsonException {
            return text("alg").equals(Algorithm.ECDH_ES_A256KW.name);
        }
    }

    private static List<Case> cases(String name, int count) throws Exception {
        Vectors file = new Vectors(name);
        List<Case> cases = new ArrayList<>();
        for (JsonObject vector : file.list("vectors")) cases.add(new Case(file, vector));
        assertEquals(name, count, cases.size());
        return cases;
    }

    private static List<Case> delivered() throws Exception {
        return cases("delivered-pins", 6);
    }

    private static List<Case> defined() throws Exception {
        return cases("defined-pins", 18);
    }

    private static List<Case> all() throws Exception {
        List<Case> all = delivered();
        all.addAll(defined());
        return all;
    }

    @Test
    public void eachValueOpens() throws Exception {
        for (Case sealed : all()) {
            RecipientKey recipient = sealed.file.recipient(sealed.text("recipient"));
            byte[] content = new CompactJwe(sealed.text("compact")).open(recipient);
            assertEquals(sealed.text("name"), sealed.text("plaintext"), new String(content, StandardCharsets.UTF_8));
        }
    }

    @Test
    public void theContentIsEncryptedAsInEachVector() throws Exception {
        for (Case sealed : all()) {
            String compact = CompactJwe.write(
                sealed.text("header"), sealed.bytes("encryptedKey"), sealed.bytes("contentKey"), sealed.bytes("iv"),
                sealed.text("plaintext").getBytes(StandardCharsets.UTF_8));
            assertEquals(sealed.text("name"), sealed.text("compact"), compact);
        }
    }

    @Test
    public void eachStepOfTheKeyAgreementIsAsInItsVector() throws Exception {
        int count = 0;
        for (Case sealed : all()) {
            if (!sealed.isECDH()) continue;
            count++;
            PrivateKey key = sealed.file.pair(sealed.text("recipient")).getPrivate();
            Jwk epk = new Jwk(JsonParser.object(sealed.text("header")).object("epk"));
            byte[] secret = P256.sharedSecret(key, epk.p256PublicKey());
            assertArrayEquals(sealed.text("name"), sealed.bytes("sharedSecret"), secret);
            byte[] wrappingKey = ConcatKdf.key(secret, sealed.text("alg"), sealed.bytes("apu"), sealed.bytes("apv"));
            assertArrayEquals(sealed.text("name"), sealed.bytes("wrappingKey"), wrappingKey);
            assertArrayEquals(sealed.bytes("encryptedKey"), Aes.wrap(wrappingKey, sealed.bytes("contentKey")));
            assertArrayEquals(sealed.bytes("contentKey"), Aes.unwrap(wrappingKey, sealed.bytes("encryptedKey")));
        }
        assertEquals(17, count);
    }

    @Test
    public void eachContentKeyOfRSADecrypts() throws Exception {
        int count = 0;
        for (Case sealed : all()) {
            if (sealed.isECDH()) continue;
            count++;
            PrivateKey key = sealed.file.pair(sealed.text("recipient")).getPrivate();
            assertArrayEquals(sealed.bytes("contentKey"), RsaOaep.decrypt(key, sealed.bytes("encryptedKey")));
        }
        assertEquals(7, count);
    }

    @Test
    public void eachPublicKeyIsWrittenAsInItsVector() throws Exception {
        for (Case sealed : delivered()) {
            RecipientKey key = sealed.file.recipient(sealed.text("recipient"));
            assertEquals(sealed.file.key(sealed.text("recipient")).text("publicKey"), key.publicKey());
        }
    }

    @Test
    public void eachDeliveryHasTheImagesOfItsVector() throws Exception {
        for (Case sealed : delivered()) {
            JsonObject wanted = sealed.vector.object("delivered");
            DeliveredPin pin = new DeliveredPin(Texts.utf8(sealed.text("plaintext")), false);
            assertEquals(wanted.text("format"), pin.format);
            assertEquals(wanted.texts("imagesInOrder"), pin.imagesInOrder());
            assertArrayEquals(Vectors.bytes(wanted, "notifyKey"), pin.notifyKey);
            assertEquals(wanted.text("freeField"), pin.freeField);
        }
    }

    /** The library always pads. Some vectors are not padded, and are padded here. */
    @Test
    public void eachDefinedPINIsWrittenAsInItsVector() throws Exception {
        int count = 0;
        for (Case sealed : defined()) {
            if (sealed.vector.has("authenticationCode") || !sealed.vector.has("pin")) continue;
            count++;
            String pin = sealed.text("pin");
            String plaintext = sealed.text("plaintext").trim();
            List<Integer> indexes = sealed.vector.integers("indexes");
            if (indexes == null) {
                assertPadded(pin, 16, PLAINTEXT.digits(pin));
                continue;
            }
            List<String> keypad = sealed.vector.textsOrNulls("keypad");
            assertEquals(indexes, KeyPad.indexes(pin, keypad));
            String list = indexes.toString();
            String commas = list.substring(1, list.length() - 1).replace(" ", "");
            assertPadded(commas, 64, PLAINTEXT.indexes(list));
            assertPadded(plaintext.contains(",") ? commas : plaintext, 64, PLAINTEXT.indexes(plaintext));
        }
        assertEquals(16, count);
    }

    private static void assertPadded(String text, int byteCount, byte[] plaintext) {
        byte[] wanted = new byte[byteCount];
        Arrays.fill(wanted, (byte) ' ');
        System.arraycopy(Texts.utf8(text), 0, wanted, 0, text.length());
        assertArrayEquals(wanted, plaintext);
    }

    /** What the library itself seals to the key of a vector opens, and its header says what the vector's says. */
    @Test
    public void aValueThatIsSealedHereNamesItsRequestAsInItsVector() throws Exception {
        int count = 0;
        for (Case sealed : defined()) {
            JsonObject binding = sealed.vector.object("binding");
            RequestBinding.Content content = content(binding.text("cty"));
            if (content == null) continue;
            count++;
            JsonObject wanted = JsonParser.object(sealed.text("header"));
            RequestBinding request = new RequestBinding(
                content, binding.text("iss"), binding.text("sub"), binding.text("jti"), binding.text("keypadId"));
            Algorithm algorithm = sealed.isECDH() ? Algorithm.ECDH_ES_A256KW : Algorithm.RSA_OAEP_256;
            ServerKey key = new ServerKey(published(sealed), algorithm, Collections.<String>emptySet());
            String compact = key.seal(Texts.utf8(sealed.text("plaintext")), request);
            JsonObject header = JsonParser.object(Base64Url.decode(compact.split("\\.")[0]));
            for (String name : new String[] {"alg", "enc", "kid", "cty", "iss", "sub", "jti", "keypadId"}) {
                assertEquals(sealed.text("name") + ": " + name, wanted.text(name), header.text(name));
            }
            assertEquals(sealed.isECDH(), header.has("epk"));
            byte[] opened = new CompactJwe(compact).open(sealed.file.recipient(sealed.text("recipient")));
            assertEquals(sealed.text("plaintext"), new String(opened, StandardCharsets.UTF_8));
        }
        assertEquals(16, count);
    }

    private static RequestBinding.Content content(String name) {
        for (RequestBinding.Content content : RequestBinding.Content.values()) {
            if (content.name.equals(name)) return content;
        }
        return null;
    }

    /** The set in which the server would publish the recipient's key. */
    private static JsonObject published(Case sealed) throws JsonException {
        JsonObject key = sealed.file.key(sealed.text("recipient"));
        Map<String, Object> jwk = new LinkedHashMap<>();
        for (String name : new String[] {"kty", "crv", "x", "y", "n", "e"}) jwk.put(name, key.object("jwk").text(name));
        jwk.put("kid", key.text("thumbprint"));
        assertNotNull(key.text("thumbprint"));
        Map<String, Object> set = new LinkedHashMap<>();
        set.put("keys", Arrays.asList(jwk));
        return JsonParser.object(JsonWriter.write(set));
    }
}
