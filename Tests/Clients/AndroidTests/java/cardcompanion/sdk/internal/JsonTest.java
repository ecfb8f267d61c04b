package cardcompanion.sdk.internal;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Test;

/** The strictness of the parser, and what the writer writes. */
public class JsonTest {
    private static void assertRefused(String text) {
        try {
            JsonParser.object(text);
        } catch (JsonException error) {
            return;
        }
        fail("was taken: " + text);
    }

    @Test
    public void valuesAreFoundByNameAndType() throws Exception {
        JsonObject object = JsonParser.object(
            " {\"a\" : \"x\\u00e9\\n\\/\\ud83d\\ude00\", \"b\":-7,\"c\":[1, 2],\"d\":{},\"e\":null,"
                + "\"f\":[\"1\",null],\t\"g\":true}\r\n");
        assertEquals("xé\n/😀", object.text("a"));
        assertEquals(-7, object.requiredInteger("b"));
        assertEquals(Arrays.asList(1, 2), object.integers("c"));
        assertTrue(object.object("d").names().isEmpty());
        assertNull(object.text("e"));
        assertNull(object.object("none"));
        assertTrue(object.has("e"));
        assertFalse(object.has("none"));
        assertEquals(Arrays.asList("1", null), object.textsOrNulls("f"));
    }

    @Test
    public void whatIsNotOneStrictObjectIsRefused() {
        String[] refused = {
            "", " ", "1", "[]", "\"a\"", "null", "{", "}", "{}}", "{} {}", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{,}", "{\"a\":1 \"b\":2}", "{a:1}", "{'a':1}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}",
            "{\"a\":1e}", "{\"a\":NaN}", "{\"a\":tru}", "{\"a\":nulls}", "{\"a\":[1,]}", "{\"a\":[}", "{\"a\":\"\n\"}",
            "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\udc00\\ud800\"}",
            "{\"a\":\"b}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"b\":{\"a\":1,\"a\":1}}", "\uFEFF{}",
            "{}\u00A0",
            "{\"a\":-}", "{\"a\":/**/1}", "{\"a\":\"\\u00\u0661\u0661\"}", "{\"\\ud800\":1}", "{\"a\":1\u0000}",
        };
        for (String text : refused) assertRefused(text);
    }

    @Test
    public void levelsAreLimited() throws Exception {
        JsonParser.object(nested(JsonParser.MAXIMUM_DEPTH));
        assertRefused(nested(JsonParser.MAXIMUM_DEPTH + 1));
        assertRefused(nested(100_000));
    }

    private static String nested(int depth) {
        StringBuilder text = new StringBuilder("{\"a\":");
        for (int level = 1; level < depth; level++) text.append('[');
        for (int level = 1; level < depth; level++) text.append(']');
        return text.append('}').toString();
    }

    @Test
    public void bytesMustBeUTF8() throws Exception {
        assertEquals("é", JsonParser.object("{\"a\":\"é\"}".getBytes(StandardCharsets.UTF_8)).text("a"));
        byte[][] refused = {
            "{\"a\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1), "{}".getBytes(StandardCharsets.UTF_16),
            {'{', '"', (byte) 0xC0, (byte) 0x80, '"', ':', '1', '}'},
            {'{', '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"', ':', '1', '}'},
        };
        for (byte[] bytes : refused) {
            try {
                JsonParser.object(bytes);
                fail("was taken: " + Arrays.toString(bytes));
            } catch (JsonException error) {
                assertFalse(error.getMessage().isEmpty());
            }
        }
    }

    @Test
    public void otherTypesAreRefused() throws Exception {
        JsonObject object = JsonParser.object(
            "{\"a\":1,\"b\":\"x\",\"c\":[1,\"x\"],\"d\":4294967296,\"e\":1.0,\"f\":[null],"
                + "\"g\":99999999999999999999}");
        int count = 0;
        for (Access access : Arrays.<Access>asList(
                o -> o.text("a"), o -> o.requiredInteger("b"), o -> o.object("b"), o -> o.texts("c"),
                o -> o.integers("c"), o -> o.requiredInteger("d"), o -> o.requiredInteger("e"),
                o -> o.requiredInteger("g"), o -> o.texts("f"), o -> o.objects("c"), o -> o.texts("b"),
                o -> o.requiredText("none"), o -> o.requiredInteger("none"))) {
            try {
                access.to(object);
                fail("access " + count);
            } catch (JsonException error) {
                count++;
            }
        }
        assertEquals(13, count);
    }

    private interface Access {
        Object to(JsonObject object) throws JsonException;
    }

    @Test
    public void whatIsWrittenCanBeRead() throws Exception {
        Map<String, Object> members = new LinkedHashMap<>();
        String text = "\"\\/\b\f\n\r\t\u0000\u001f é😀</script>";
        members.put(text, text);
        members.put("none", null);
        members.put("list", Arrays.asList(1, "a", new LinkedHashMap<String, Object>()));
        members.put("empty", Arrays.asList());
        String json = JsonWriter.write(members);
        assertTrue(json, json.endsWith(",\"list\":[1,\"a\",{}],\"empty\":[]}"));
        assertEquals(text, JsonParser.object(json).text(text));
        assertEquals("{}", JsonWriter.write(new LinkedHashMap<String, Object>()));
    }

    @Test
    public void base64urlAndHexAreTakenInOneForm() {
        assertEquals("-_8", Base64Url.encode(new byte[] {(byte) 0xFB, (byte) 0xFF}));
        for (String text : new String[] {null, "A", "AB", "-_9", "+/8", "-_8=", "-_8 ", "é", "AAAA\n"}) {
            assertNull(text, Base64Url.decode(text));
        }
        assertEquals(0, Base64Url.decode("").length);
        for (String text : new String[] {"0", "0g", "٠١", "0x", " 0"}) assertNull(text, Hex.decode(text));
        assertEquals("00ff0a", Hex.encode(Hex.decode("00Ff0A")));
    }
}
