package cardcompanion.backend;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import cardcompanion.sdk.internal.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public final class VerificationTest {
    private final Vectors vectors = new Vectors();

    public VerificationTest() throws Exception {}

    private interface Verification {
        void run() throws Exception;
    }

    private static void check(JsonObject vector, Verification verification) throws Exception {
        String name = vector.text("name");
        if (vector.text("verdict").equals("valid")) {
            try {
                verification.run();
            } catch (SignatureRefusedException refusal) {
                throw new AssertionError(name, refusal);
            }
        } else {
            assertThrows(name, SignatureRefusedException.class, verification::run);
        }
    }

    @Test
    public void eachWebhookHasItsVerdict() throws Exception {
        for (JsonObject message : vectors.list("webhooks")) {
            check(message, () -> vectors.verifier().verifyWebhook(
                URI.create(message.text("url")), Vectors.fields(message), Vectors.body(message)));
        }
        assertTrue(vectors.list("webhooks").size() > 40);
    }

    @Test
    public void eachAnswerHasItsVerdict() throws Exception {
        for (JsonObject message : vectors.list("answers")) {
            check(message, () -> vectors.verifier().verifyAnswer(
                message.requiredInteger("status"), Vectors.fields(message), Vectors.body(message)));
        }
    }

    @Test
    public void eachByteOfTheBodyCounts() throws Exception {
        JsonObject event = vectors.named("webhooks", "an event");
        byte[] body = Vectors.body(event);
        for (int place = 0; place < body.length; place++) {
            body[place] ^= 1;
            assertThrows(SignatureRefusedException.class, () -> verify(event, body, 10));
            body[place] ^= 1;
        }
        verify(event, body, 10);
    }

    @Test
    public void theAgeHasALimit() throws Exception {
        JsonObject event = vectors.named("webhooks", "an event");
        for (long later : new long[] {-5, 0, 300}) verify(event, Vectors.body(event), later);
        for (long later : new long[] {-6, 301, 1_000_000}) {
            assertThrows(SignatureRefusedException.class, () -> verify(event, Vectors.body(event), later));
        }
    }

    private void verify(JsonObject event, byte[] body, long secondsLater) throws Exception {
        new SignatureVerifier(vectors.serverKeys(), Duration.ofMinutes(5), Vectors.clock(secondsLater))
            .verifyWebhook(URI.create(event.text("url")), Vectors.fields(event), body);
    }

    @Test
    public void fieldsThatAreNotCanonicalAreRefused() throws Exception {
        JsonObject event = vectors.named("webhooks", "an event");
        Map<String, List<String>> fields = Vectors.fields(event);
        String input = fields.get("signature-input").get(0);
        for (String other : List.of(
            input.replace("\" \"", "\"  \""), input.replace("(\"", "( \""), input.replace("\")", "\" )"), input + ";", input + ",",
            input.replace(";created", "; created"), input.replace("\"@path\"", "\"@path\";req"), input.replace("\"@path\"", "@path"),
            input.replace("created=", "created=0;created="), "x".repeat(1_000_000), "sig1=(" + "\"a\" ".repeat(500), "", "sig1")) {
            fields.put("signature-input", List.of(other));
            assertThrows(other, SignatureRefusedException.class, () -> vectors.verifier().verifyWebhook(
                URI.create(event.text("url")), fields, Vectors.body(event)));
        }
    }

    /** RFC 9421 appendix B.2.4: an answer that is signed with ecdsa-p256-sha256. */
    @Test
    public void thePublishedAnswerIsValid() throws Exception {
        String jwks = "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"use\":\"sig\",\"kid\":\"test-key-ecc-p256\","
            + "\"x\":\"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA\",\"y\":\"Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0\"}]}";
        ServerKeys keys = new ServerKeys(Vectors.SERVER, url -> Vectors.utf8(jwks), () -> 0);
        SignatureVerifier verifier = new SignatureVerifier(keys, Duration.ofDays(36_500));
        Map<String, List<String>> fields = Map.of(
            "Content-Type", List.of("application/json"), "Content-Length", List.of("23"),
            "Content-Digest", List.of(
                "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"),
            "Signature-Input", List.of("sig-b24=(\"@status\" \"content-type\" \"content-digest\" \"content-length\");"
                + "created=1618884473;keyid=\"test-key-ecc-p256\""),
            "Signature", List.of(
                "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"));
        byte[] body = Vectors.utf8("{\"message\": \"good dog\"}");
        verifier.verifyAnswer(200, fields, body);
        assertThrows(SignatureRefusedException.class, () -> verifier.verifyAnswer(201, fields, body));
    }

    @Test
    public void keysThatCannotBeFetchedAreNotAWrongSignature() throws Exception {
        ServerKeys keys = new ServerKeys(Vectors.SERVER, url -> { throw new IOException("refused"); }, () -> 0);
        SignatureVerifier verifier = new SignatureVerifier(keys, Duration.ofMinutes(5), Vectors.clock(0));
        JsonObject event = vectors.named("webhooks", "an event");
        KeysUnavailableException failure = assertThrows(KeysUnavailableException.class, () -> verifier.verifyWebhook(
            URI.create(event.text("url")), Vectors.fields(event), Vectors.body(event)));
        assertEquals(true, failure.getMessage().contains("refused"));
    }
}
