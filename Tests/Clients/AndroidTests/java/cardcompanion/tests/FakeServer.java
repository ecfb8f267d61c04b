package cardcompanion.tests;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.Base64Url;
import cardcompanion.sdk.internal.CompactJwe;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.JsonWriter;
import cardcompanion.sdk.internal.RecipientKey;
import cardcompanion.sdk.internal.RequestBinding;
import cardcompanion.sdk.internal.ServerKey;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plays Card Companion: it delivers a PIN, hands out keypads, and opens what is defined. */
public final class FakeServer implements TestServer.Reaction {
    public static final String SESSION = "0123456789abcdefghijkl";
    public static final byte[] NOTIFY_KEY = new byte[32];
    /** The keypad of the SDK document's section 5.5. */
    public static final List<String> KEYPAD =
        Collections.unmodifiableList(Arrays.asList("4", "3", "2", null, "6", "9", "0", "7", "5", null, "8", "1"));
    /** As much of a PNG as the library looks at. */
    public static final String IMAGE = Base64.getEncoder().encodeToString(
        new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0});

    static {
        Arrays.fill(NOTIFY_KEY, (byte) 7);
    }

    /** The code of each answer but those to keypads. */
    public volatile int code = 0;
    /** What the answer to a definition says besides; null: nothing. */
    public volatile String effective;
    /** The plaintext of what is delivered. */
    public volatile Map<String, Object> delivery = captcha();
    /** The plaintexts that were defined, in their order. */
    public final List<String> defined = Collections.synchronizedList(new ArrayList<>());
    private final Vectors vectors = new Vectors("defined-pins");
    private int keypadCount;

    public FakeServer() throws Exception {}

    public static Map<String, Object> captcha() {
        Map<String, Object> delivery = new LinkedHashMap<>();
        delivery.put("format", "captcha");
        delivery.put("length", 4);
        delivery.put("images", Arrays.asList(IMAGE));
        delivery.put("notifyKey", Base64Url.encode(NOTIFY_KEY));
        delivery.put("freeField", "Bonjour");
        return delivery;
    }

    @Override
    public TestServer.Answer to(TestServer.Request request) throws Exception {
        switch (request.path) {
            case "/.well-known/jwks.json": return json(keySet());
            case "/v1/pin-distribution/captcha": return deliver(request, "rsaPublicKey");
            case "/v1/pin-distribution/token/captcha": return deliver(request, "ecdhPublicKey");
            case "/v1/pin-definition/keypad-coordinates": return keypad();
            case "/v1/pin-definition/pin": return define(request, "pin", "server-rsa");
            case "/v1/pin-definition/token/pin": return define(request, "pin", "server-ec");
            case "/v1/pin-definition/token/pin-indexes": return define(request, "indexes", "server-ec");
            default: return json(answer(code));
        }
    }

    public static Map<String, Object> answer(int code) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("errorCode", code);
        answer.put("errorMessage", code == 0 ? "Success" : "code " + code);
        return answer;
    }

    public static TestServer.Answer json(Map<String, ?> members) {
        return new TestServer.Answer(200, JsonWriter.write(members)).with("Content-Type", "application/json");
    }

    /** The thumbprint of one of the keys. */
    public String thumbprint(String name) throws Exception {
        return vectors.key(name).text("thumbprint");
    }

    public Map<String, Object> keySet() throws Exception {
        List<Map<String, Object>> keys = new ArrayList<>();
        for (String name : new String[] {"server-rsa", "server-ec"}) {
            JsonObject jwk = vectors.key(name).object("jwk");
            Map<String, Object> key = new LinkedHashMap<>();
            for (String member : new String[] {"kty", "crv", "x", "y", "n", "e"}) key.put(member, jwk.text(member));
            key.put("kid", thumbprint(name));
            key.put("use", "enc");
            keys.add(key);
        }
        Map<String, Object> set = new LinkedHashMap<>();
        set.put("keys", keys);
        return set;
    }

    private TestServer.Answer deliver(TestServer.Request request, String member) throws Exception {
        if (code != 0) return json(answer(code));
        byte[] info = Base64.getDecoder().decode(JsonParser.object(request.body).text(member));
        boolean isRSA = member.equals("rsaPublicKey");
        Map<String, Object> set = new LinkedHashMap<>();
        set.put("keys", Arrays.asList(isRSA ? rsa(info) : ec(info)));
        Algorithm algorithm = isRSA ? Algorithm.RSA_OAEP_256 : Algorithm.ECDH_ES_A256KW;
        ServerKey key = new ServerKey(
            JsonParser.object(JsonWriter.write(set)), algorithm, Collections.<String>emptySet());
        RequestBinding nothing = new RequestBinding(RequestBinding.Content.PIN, null, null, null, null);
        Map<String, Object> answer = answer(0);
        answer.put("pin", key.seal(JsonWriter.write(delivery).getBytes(StandardCharsets.UTF_8), nothing));
        answer.put("sessionId", SESSION);
        return json(answer);
    }

    private static Map<String, Object> rsa(byte[] info) throws Exception {
        RSAPublicKey key = (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(info));
        Map<String, Object> jwk = new LinkedHashMap<>();
        jwk.put("kty", "RSA");
        jwk.put("kid", "client");
        jwk.put("n", Base64Url.encode(key.getModulus().toByteArray()));
        jwk.put("e", Base64Url.encode(key.getPublicExponent().toByteArray()));
        return jwk;
    }

    private static Map<String, Object> ec(byte[] info) throws Exception {
        ECPublicKey key = (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(info));
        byte[] encoded = key.getEncoded();
        Map<String, Object> jwk = new LinkedHashMap<>();
        jwk.put("kty", "EC");
        jwk.put("kid", "client");
        jwk.put("crv", "P-256");
        jwk.put("x", Base64Url.encode(Arrays.copyOfRange(encoded, encoded.length - 64, encoded.length - 32)));
        jwk.put("y", Base64Url.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)));
        return jwk;
    }

    private synchronized TestServer.Answer keypad() {
        StringBuilder keypad = new StringBuilder();
        for (String digit : KEYPAD) keypad.append(digit == null ? ",null" : ",\"" + digit + "\"");
        return new TestServer.Answer(
            200, "{\"errorCode\":0,\"errorMessage\":\"Success\",\"keypad\":[" + keypad.substring(1)
                + "],\"keypadId\":\"k-" + ++keypadCount + "\"}");
    }

    private TestServer.Answer define(TestServer.Request request, String member, String keyName) throws Exception {
        RecipientKey key = vectors.recipient(keyName);
        String compact = JsonParser.object(request.body).text(member);
        defined.add(new String(new CompactJwe(compact).open(key), StandardCharsets.US_ASCII));
        Map<String, Object> answer = answer(code);
        if (effective != null) answer.put("effective", effective);
        return json(answer);
    }
}
