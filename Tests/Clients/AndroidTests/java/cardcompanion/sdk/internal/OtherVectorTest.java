package cardcompanion.sdk.internal;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import cardcompanion.sdk.CryptoUtil;
import cardcompanion.sdk.KeyPad;
import cardcompanion.tests.Vectors;
import java.util.Base64;
import java.util.List;
import org.junit.Test;

/** The MACs, thumbprints, keypads and tokens of the vectors. */
public class OtherVectorTest {
    private static List<JsonObject> list(String file, String name, int count) throws Exception {
        List<JsonObject> list = new Vectors(file).list(name);
        assertEquals(file + ", " + name, count, list.size());
        return list;
    }

    @Test
    public void eachHashMacIsThatOfItsVector() throws Exception {
        for (JsonObject vector : list("macs", "hashMacs", 5)) {
            String data = vector.text("bankId") + vector.text("uniqueId") + vector.text("timestamp");
            assertArrayEquals(Vectors.bytes(vector, "message"), Texts.utf8(data));
            assertEquals(vector.text("hashMac"), CryptoUtil.computeHMAC(vector.text("key"), data));
            assertEquals(vector.text("hashMac"), CryptoUtil.computeHMAC(vector.text("key").toUpperCase(), data));
        }
    }

    @Test
    public void eachBindingIsThatOfItsVector() throws Exception {
        for (JsonObject vector : list("bindings", "bindings", 5)) {
            String sent = vector.text("sent");
            boolean isKey = vector.text("member").endsWith("PublicKey");
            byte[] bytes = isKey ? Base64.getDecoder().decode(sent) : Texts.utf8(sent);
            assertEquals(vector.text("binding"), Base64Url.encode(Digests.sha256(bytes)));
        }
        for (JsonObject vector : list("bindings", "hashMacs", 2)) {
            String data = vector.text("bankId") + vector.text("uniqueId") + vector.text("timestamp");
            String bound = data + "." + vector.text("binding") + ".";
            assertArrayEquals(Vectors.bytes(vector, "message"), Texts.utf8(bound));
            assertEquals(vector.text("hashMac"), CryptoUtil.computeHMAC(vector.text("key"), bound));
        }
        for (JsonObject vector : list("bindings", "tokens", 3)) {
            JsonObject bound = list("bindings", "bindings", 5).stream()
                .filter(other -> text(other, "name").equals(text(vector, "name"))).findFirst().get();
            assertEquals(bound.text("binding"), JsonParser.object(vector.text("token")).text("Binding"));
        }
    }

    private static String text(JsonObject vector, String name) {
        try {
            return vector.text(name);
        } catch (JsonException error) {
            throw new AssertionError(error);
        }
    }

    @Test
    public void eachNotifyHashIsThatOfItsVector() throws Exception {
        for (JsonObject vector : list("macs", "notifyHashes", 6)) {
            byte[] hash = Digests.hmac(Vectors.bytes(vector, "notifyKey"), Vectors.bytes(vector, "message"));
            assertEquals(vector.text("hash"), Hex.encode(hash));
            TokenNames names = vector.has("token") ? new TokenNames(vector.text("token")) : null;
            String bankId = names == null ? vector.text("bankId") : names.bankId;
            String uniqueId = names == null ? vector.text("uniqueId") : names.uniqueId;
            String data = bankId + uniqueId + vector.text("sessionId") + vector.requiredInteger("status");
            assertArrayEquals(Vectors.bytes(vector, "message"), Texts.utf8(data));
        }
    }

    @Test
    public void eachKeyCheckValueIsThatOfItsVector() throws Exception {
        for (JsonObject vector : list("macs", "keyCheckValues", 4)) {
            assertEquals(vector.text("hmacOfNothing"), CryptoUtil.computeHMAC(vector.text("key"), ""));
        }
    }

    @Test
    public void eachThumbprintIsThatOfItsVector() throws Exception {
        for (JsonObject vector : list("thumbprints", "vectors", 5)) {
            assertEquals(vector.text("thumbprint"), new Jwk(vector.object("jwk")).thumbprint());
        }
    }

    @Test
    public void theIndexesOnEachKeypadAreThoseOfItsVector() throws Exception {
        PinPlaintext plaintexts = new PinPlaintext(4, 6);
        for (JsonObject vector : list("keypads", "vectors", 4)) {
            List<Integer> indexes = KeyPad.indexes(vector.text("pin"), vector.textsOrNulls("keypad"));
            assertEquals(vector.integers("indexes"), indexes);
            List<String> accepted = vector.texts("plaintexts");
            assertArrayEquals(Texts.utf8(accepted.get(0)), plaintexts.indexes(indexes.toString()));
            assertArrayEquals(Texts.utf8(accepted.get(0)), plaintexts.indexes(accepted.get(0).trim()));
            assertArrayEquals(Texts.utf8(accepted.get(0)), plaintexts.indexes(accepted.get(1).trim()));
            // Plain digits stay plain digits.
            if (accepted.size() > 2) {
                assertArrayEquals(Texts.utf8(accepted.get(2)), plaintexts.indexes(accepted.get(2).trim()));
            }
        }
    }

    /** The library reads names of the tokens only, and must get along with each form that the bank may sign. */
    @Test
    public void theNamesInEachTokenAreFound() throws Exception {
        for (JsonObject vector : list("tokens", "vectors", 11)) {
            TokenNames names = new TokenNames(vector.text("token"));
            JsonObject members = JsonParser.object(vector.text("token"));
            assertEquals(members.text("IdBEL"), names.bankId);
            assertEquals(members.text("IdPorteur"), names.uniqueId);
            assertEquals(members.text("IdTransaction"), names.transactionId);
        }
    }

    /** A token that the server refuses as no strict JSON object (208) is refused by the library as well. */
    @Test
    public void tokensThatAreNotStrictJSONAreRefused() throws Exception {
        for (JsonObject vector : list("negative", "tokens", 26)) {
            boolean isTaken = true;
            try {
                new TokenNames(vector.text("token"));
            } catch (LibraryException error) {
                isTaken = false;
            }
            assertEquals(vector.text("name"), vector.text("verdict").equals("valid"), isTaken);
        }
    }
}
