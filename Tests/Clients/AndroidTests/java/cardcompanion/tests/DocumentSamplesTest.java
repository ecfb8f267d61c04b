package cardcompanion.tests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import cardcompanion.samples.DocumentSamples;
import cardcompanion.sdk.CardCompanionSession;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** The program of the samples, against a server that plays Card Companion. */
public class DocumentSamplesTest {
    private static final String TOKEN =
        "{\\\"IdBEL\\\":\\\"BANK\\\",\\\"IdPorteur\\\":\\\"102456\\\",\\\"IdTransaction\\\":\\\"4567897\\\"}";
    private static final String NAMES = "\"bankId\":\"BANK\",\"uniqueId\":\"102456\"";
    private static final String PROOF = "\"timestamp\":\"1562320989\",\"hashMac\":\"ab\"";
    private static final String SIGNED = "\"token\":\"" + TOKEN + "\",\"signature\":\"c2ln\"";
    private static final String SESSION = "\"sessionId\":\"" + FakeServer.SESSION + "\"";

    /** Runs the program, with the host's URL in each line, and returns its answers. */
    private static List<JsonObject> run(String hostUrl, String... calls) throws Exception {
        StringBuilder lines = new StringBuilder();
        for (String call : calls) lines.append(call.replace("URL", "\"hostUrl\":\"" + hostUrl + "\"")).append('\n');
        InputStream input = System.in;
        PrintStream output = System.out;
        CardCompanionSession session = CardCompanionSession.shared();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(printed, true, "UTF-8"));
            DocumentSamples.main(new String[0]);
        } finally {
            System.setIn(input);
            System.setOut(output);
            CardCompanionSession.setShared(session);
        }
        List<JsonObject> answers = new ArrayList<>();
        for (String line : printed.toString("UTF-8").split("\r?\n")) answers.add(JsonParser.object(line));
        assertEquals(calls.length, answers.size());
        return answers;
    }

    private static String call(String name, String... members) {
        return "{\"call\":\"" + name + "\"," + String.join(",", members) + ",URL}";
    }

    @Test
    public void eachOperationSucceedsInEachForm() throws Exception {
        FakeServer fake = new FakeServer();
        try (TestServer server = new TestServer(fake)) {
            int count = 0;
            for (String form : new String[] {"sample", "table", "deprecated", "async"}) {
                String how = "\"form\":\"" + form + "\"";
                List<JsonObject> answers = run(
                    server.url,
                    call("postGetPINCaptchaRequest", NAMES, PROOF, "\"authCode\":\"code\"", how),
                    call("postNotifyRequest", SESSION, NAMES, "\"status\":\"0\"", how),
                    call("postGetPINCaptchaTokenRequest", SIGNED, how),
                    call("postNotifyTokenRequest", SIGNED, SESSION, "\"status\":\"0\"", how),
                    call("postDefinePINRequest", NAMES, PROOF, "\"pin\":\"4343\"", how),
                    call("postDefinePINECDHRequest", SIGNED, "\"pin\":\"4343\"", how),
                    call("postGetKeyPadCoordinatesRequest", NAMES, "\"keypadSize\":12", how),
                    call("postDefinePINECDHCBRequest", SIGNED, "\"indexes\":[0,1,0,1]", how));
                for (JsonObject answer : answers) {
                    count++;
                    assertEquals(form + count + answer.text("errorMessage"), 0, answer.requiredInteger("errorCode"));
                }
                assertEquals(FakeServer.IMAGE, answers.get(0).text("pin"));
                assertEquals("GetPINTokenResponse", answers.get(2).text("type"));
                assertEquals("Bonjour", answers.get(2).text("freeField"));
                assertEquals(Arrays.asList("4", "3", "2", ""), answers.get(6).texts("keypad").subList(0, 4));
            }
            assertEquals(32, count);
            assertEquals(12, fake.defined.size());
        }
    }

    @Test
    public void aProofCanBeMadeInBetween() throws Exception {
        FakeServer fake = new FakeServer();
        try (TestServer server = new TestServer(fake)) {
            List<JsonObject> answers = run(
                server.url,
                "{\"call\":\"configure\",\"timeoutSeconds\":20,\"minimumPINLength\":4,\"maximumPINLength\":5}",
                "{\"call\":\"prepareFetch\"}", "{\"call\":\"prepareTokenFetch\"}",
                call(
                    "postGetPINCaptchaRequest", NAMES, PROOF,
                    "\"authCode\":\"code\",\"prepared\":1,\"style\":\"calm\""),
                call("postGetPINCaptchaTokenRequest", SIGNED, "\"prepared\":2,\"formats\":[\"captcha\"],\"scale\":2"),
                call("sealPIN", NAMES, "\"timestamp\":\"1562320989\",\"pin\":\"43434\""),
                call("sealPINECDH", NAMES, "\"idTransaction\":\"4567897\",\"pin\":\"4343\""),
                call("sealPINECDHCB", NAMES, "\"idTransaction\":\"4567897\",\"indexes\":[0,1,0,1],\"keypadId\":\"k\""),
                call("postDefinePINRequest", "\"hashMac\":\"ab\",\"sealed\":1"),
                call("postDefinePINECDHRequest", SIGNED, "\"sealed\":2"),
                call("postDefinePINECDHCBRequest", SIGNED, "\"sealed\":3"));
            for (JsonObject answer : answers.subList(1, answers.size())) {
                assertEquals(answer.text("errorMessage"), 0, answer.requiredInteger("errorCode"));
            }
            for (int index : new int[] {1, 2, 5, 6, 7}) assertEquals(43, answers.get(index).text("binding").length());
            assertEquals(3, fake.defined.size());
        }
    }

    @Test
    public void theOtherCallsAreAnswered() throws Exception {
        try (TestServer server = new TestServer(new FakeServer())) {
            String keypad = "{\"call\":\"postGetKeyPadCoordinatesRequest\"," + NAMES + ",\"keypadSize\":12,URL}";
            List<JsonObject> answers = run(
                server.url, "{\"call\":\"computeHMAC\",\"key\":\"00\",\"data\":\"x\"}",
                "{\"call\":\"indexes\",\"pin\":\"4343\",\"keypad\":[\"4\",\"3\"]}",
                "{\"call\":\"together\",\"calls\":[" + keypad + "," + keypad + "]}",
                "{\"call\":\"discardKeypads\"," + NAMES + "}", "{\"call\":\"restore\",\"notifyReceipt\":\"1.x.y\"}",
                "{\"call\":\"unknown\"}", "no JSON", call("postDefinePINECDHCBRequest", SIGNED, "\"sealed\":9"));
            assertEquals(64, answers.get(0).text("hmac").length());
            assertEquals(Arrays.asList(0, 1, 0, 1), answers.get(1).integers("indexes"));
            assertEquals(2, answers.get(2).objects("answers").size());
            assertEquals(0, answers.get(4).requiredInteger("restored"));
            for (int index : new int[] {5, 6, 7}) assertTrue(answers.get(index).has("fault"));
            assertFalse(answers.get(3).has("fault"));
        }
    }
}
