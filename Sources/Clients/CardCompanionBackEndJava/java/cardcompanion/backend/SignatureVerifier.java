package cardcompanion.backend;

import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Verifies that the server has signed a message (RFC 9421): what the signature covers, its age, the body's digest, and that there is
 * exactly one signature.
 *
 * <p>The server signs each attempt to deliver a webhook anew. A message that comes twice is an event that comes twice: recognize it by
 * its {@code id}. The header fields are those of {@link java.net.http.HttpHeaders#map()}, or those of a servlet in this form.
 */
public final class SignatureVerifier {
    private static final Duration USUAL_MAXIMUM_AGE = Duration.ofMinutes(5);
    /** How far the server's clock can be ahead. */
    private static final int SKEW_SECONDS = 5;
    private static final int SIGNATURE_BYTE_COUNT = 64;
    private static final SignatureAlgorithm ALGORITHM = SignatureAlgorithm.ECDSA_P256_SHA256;

    private final ServerKeys keys;
    private final Duration maximumAge;
    private final Clock clock;

    /**
     * Takes signatures that are at most five minutes old.
     *
     * @param keys the server's keys
     */
    public SignatureVerifier(ServerKeys keys) {
        this(keys, USUAL_MAXIMUM_AGE);
    }

    /**
     * Takes signatures up to an age.
     *
     * @param keys the server's keys
     * @param maximumAge how old a signature can be
     */
    public SignatureVerifier(ServerKeys keys, Duration maximumAge) {
        this(keys, maximumAge, Clock.systemUTC());
    }

    SignatureVerifier(ServerKeys keys, Duration maximumAge, Clock clock) {
        this.keys = keys;
        this.maximumAge = maximumAge;
        this.clock = clock;
    }

    /**
     * Verifies a webhook. Limit the size of the body before. Answer 401 if it is refused, 503 if the keys are unavailable, and 2xx only
     * when the event is stored.
     *
     * @param url the URL that the operator has registered ({@code card-companion webhook set}), not one from the request: the sender
     *     decides about that
     * @param headers the header fields, with all values of each name
     * @param body the body as it came
     * @throws SignatureRefusedException if the server has not sent this to this URL
     * @throws KeysUnavailableException if the server's keys cannot be fetched
     */
    public void verifyWebhook(URI url, Map<String, List<String>> headers, byte[] body)
            throws SignatureRefusedException, KeysUnavailableException {
        verify(RequestParts.of("POST", url), headers, body);
    }

    /**
     * Verifies an answer that has events. Anyone can seal a PIN to the bank's certificate, so do not process others. The signature does
     * not say which call it answers: compare {@code bankId} and {@code after} with those of the call.
     *
     * @param status the status of the answer
     * @param headers the header fields, with all values of each name
     * @param body the body as it came
     * @throws SignatureRefusedException if the server has not sent this
     * @throws KeysUnavailableException if the server's keys cannot be fetched
     */
    public void verifyAnswer(int status, Map<String, List<String>> headers, byte[] body)
            throws SignatureRefusedException, KeysUnavailableException {
        verify(Map.of("@status", Integer.toString(status)), headers, body);
    }

    private void verify(Map<String, String> derived, Map<String, List<String>> headers, byte[] body)
            throws SignatureRefusedException, KeysUnavailableException {
        Map<String, String> fields = joined(headers);
        SignatureInput input = new SignatureInput(field(fields, "signature-input"), field(fields, "signature"));
        checkTime(input);
        requireCoverage(input, derived);
        if (input.text("alg") != null && !input.text("alg").equals(ALGORITHM.registeredName())) {
            throw new SignatureRefusedException("the signature names another algorithm than " + ALGORITHM.registeredName());
        }
        if (!ContentDigest.matches(field(fields, "content-digest"), body)) {
            throw new SignatureRefusedException("Content-Digest is not that of the body");
        }
        byte[] base = SignatureBase.of(covered(input, derived, fields), input.parameters);
        if (!isValid(input.signature, base, key(input))) throw new SignatureRefusedException("the signature is wrong");
    }

    private void checkTime(SignatureInput input) throws SignatureRefusedException {
        long now = clock.instant().getEpochSecond();
        Long created = input.number("created");
        Long expires = input.number("expires");
        if (created == null) throw new SignatureRefusedException("the signature has no parameter created");
        if (now - created > maximumAge.getSeconds()) throw new SignatureRefusedException("the signature is too old");
        if (created - now > SKEW_SECONDS) throw new SignatureRefusedException("the signature is from the future");
        if (expires != null && expires < now) throw new SignatureRefusedException("the signature has expired");
    }

    private static void requireCoverage(SignatureInput input, Map<String, String> derived) throws SignatureRefusedException {
        List<String> required = new ArrayList<>(derived.keySet());
        required.add("content-digest");
        required.removeAll(input.components);
        if (!required.isEmpty()) throw new SignatureRefusedException("the signature does not cover " + required.get(0));
    }

    /** The values of the covered components. */
    private static Map<String, String> covered(SignatureInput input, Map<String, String> derived, Map<String, String> fields)
            throws SignatureRefusedException {
        Map<String, String> covered = new LinkedHashMap<>();
        for (String name : input.components) {
            String value = name.startsWith("@") ? derived.get(name) : fields.get(name);
            if (value == null || !RequestParts.isPrintable(value)) {
                throw new SignatureRefusedException("the message has no printable " + name);
            }
            covered.put(name, value);
        }
        return covered;
    }

    private PublicKey key(SignatureInput input) throws SignatureRefusedException, KeysUnavailableException {
        String keyId = input.text("keyid");
        PublicKey key = keyId == null ? null : keys.signingKey(keyId);
        if (key == null) throw new SignatureRefusedException("the server has no key with this keyid");
        return key;
    }

    private static boolean isValid(byte[] signature, byte[] base, PublicKey key) {
        try {
            return signature.length == SIGNATURE_BYTE_COUNT && ALGORITHM.verifies(key, base, signature);
        } catch (GeneralSecurityException error) {
            return false;
        }
    }

    /** The value of each field (RFC 9421 section 2.1): its lines, joined. */
    private static Map<String, String> joined(Map<String, List<String>> headers) {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        headers.forEach((name, values) -> {
            if (name != null) lines.computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>()).addAll(values);
        });
        return lines.entrySet().stream().collect(Collectors.toMap(
            Map.Entry::getKey, line -> line.getValue().stream().map(String::strip).collect(Collectors.joining(", "))));
    }

    private static String field(Map<String, String> fields, String name) throws SignatureRefusedException {
        String value = fields.get(name);
        if (value == null) throw new SignatureRefusedException("the message has no " + name);
        return value;
    }
}
