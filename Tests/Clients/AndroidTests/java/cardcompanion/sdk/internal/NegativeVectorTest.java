package cardcompanion.sdk.internal;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import cardcompanion.sdk.LibraryCode;
import cardcompanion.tests.Vectors;
import java.security.GeneralSecurityException;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECPoint;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.Test;

/** The inputs of negative.json that concern an app. */
public class NegativeVectorTest {
    private static List<JsonObject> list(Vectors file, String name, int count) throws Exception {
        List<JsonObject> list = file.list(name);
        assertEquals(name, count, list.size());
        return list;
    }

    @Test
    public void eachDeliveryGivesItsCode() throws Exception {
        Vectors file = new Vectors("negative");
        for (JsonObject delivery : list(file, "deliveries", 95)) {
            int code = code(delivery.text("compact"), file.recipient(delivery.text("recipient")));
            assertEquals(delivery.text("name"), delivery.requiredInteger("code"), code);
            assertEquals(delivery.text("name"), delivery.text("verdict").equals("valid"), code == 0);
        }
    }

    private static int code(String compact, RecipientKey recipient) {
        try {
            DeliveredPin pin = new DeliveredPin(new CompactJwe(compact).open(recipient), false);
            return pin.imagesInOrder() == null ? LibraryCode.INCOMPLETE_PIN : 0;
        } catch (LibraryException error) {
            return error.code;
        }
    }

    /**
     * These are what a client sends. Here it is the point in them that counts: the library must refuse the ones that
     * are not on the curve, and accept the others.
     */
    @Test
    public void eachUncompressedPointIsJudged() throws Exception {
        Vectors file = new Vectors("negative");
        byte[] prefix = Arrays.copyOf(Base64.getDecoder().decode(
            list(file, "ecdhPublicKeys", 42).get(0).text("publicKey")), 27);
        int count = 0;
        for (JsonObject key : file.list("ecdhPublicKeys")) {
            byte[] info = point(key.text("publicKey"), prefix);
            if (info == null) continue;
            count++;
            byte[] x = Arrays.copyOfRange(info, 27, 59);
            byte[] y = Arrays.copyOfRange(info, 59, 91);
            boolean isValid = key.text("verdict").equals("valid");
            try {
                ECPoint point = P256.publicKey(x, y).getW();
                assertEquals(key.text("name"), true, isValid);
                assertArrayEquals(x, P256.coordinate(point.getAffineX()));
                assertArrayEquals(y, P256.coordinate(point.getAffineY()));
            } catch (LibraryException error) {
                assertFalse(key.text("name"), isValid);
                assertEquals(LibraryCode.UNTRUSTED_SERVER_KEY, error.code);
            }
        }
        assertEquals(13, count);
    }

    /** A SubjectPublicKeyInfo of P-256 with an uncompressed point. Null if it is anything else. */
    private static byte[] point(String base64, byte[] prefix) {
        try {
            byte[] info = Base64.getDecoder().decode(base64);
            return info.length == 91 && Arrays.equals(Arrays.copyOf(info, 27), prefix) ? info : null;
        } catch (IllegalArgumentException error) {
            return null;
        }
    }

    @Test
    public void generatedKeysAreWrittenAsTheServerTakesThem() throws Exception {
        Vectors file = new Vectors("negative");
        String right = file.list("ecdhPublicKeys").get(0).text("publicKey");
        byte[] wanted = Arrays.copyOf(Base64.getDecoder().decode(right), 27);
        RecipientKey key = RecipientKey.generate(Algorithm.ECDH_ES_A256KW);
        byte[] info = Base64.getDecoder().decode(key.publicKey());
        assertEquals(91, info.length);
        assertArrayEquals(wanted, Arrays.copyOf(info, 27));
        ECPublicKey read = P256.publicKey(Arrays.copyOfRange(info, 27, 59), Arrays.copyOfRange(info, 59, 91));
        assertArrayEquals(info, read.getEncoded());
    }

    @Test
    public void aesGCMTakesOnlyWhatIsValid() throws Exception {
        for (JsonObject vector : list(new Vectors("negative"), "aesGCM", 43)) {
            byte[] plaintext = null;
            try {
                plaintext = Aes.open(
                    bytes(vector, "key"), bytes(vector, "iv"), bytes(vector, "additionalData"),
                    bytes(vector, "ciphertext"), bytes(vector, "tag"));
            } catch (GeneralSecurityException error) {
                // Judged below.
            }
            judge(vector, plaintext);
        }
    }

    @Test
    public void aesKeyWrapTakesOnlyWhatIsValid() throws Exception {
        for (JsonObject vector : list(new Vectors("negative"), "aesKeyWrap", 24)) {
            byte[] key = null;
            try {
                key = Aes.unwrap(bytes(vector, "wrappingKey"), bytes(vector, "wrappedKey"));
            } catch (GeneralSecurityException error) {
                // Judged below.
            }
            judge(vector, key);
        }
    }

    private static void judge(JsonObject vector, byte[] plaintext) throws JsonException {
        assertEquals(vector.text("name"), vector.text("verdict").equals("valid"), plaintext != null);
        if (plaintext != null) assertArrayEquals(vector.text("name"), bytes(vector, "plaintext"), plaintext);
    }

    private static byte[] bytes(JsonObject vector, String name) throws JsonException {
        return Vectors.bytes(vector, name);
    }
}
