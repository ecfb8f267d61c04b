package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.Bytes;
import cardcompanion.sdk.internal.CompactJwe;
import cardcompanion.sdk.internal.DeliveredPin;
import cardcompanion.sdk.internal.Digests;
import cardcompanion.sdk.internal.Hex;
import cardcompanion.sdk.internal.HostUrl;
import cardcompanion.sdk.internal.HttpClient;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import cardcompanion.sdk.internal.RecipientKey;
import cardcompanion.sdk.internal.Texts;
import cardcompanion.sdk.internal.TokenNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** PIN distribution: the requests, and what becomes of their answers. */
final class Distribution {
    private static final String SESSION_ID_FORM = "[A-Za-z0-9_-]{22,64}";

    private final CardCompanionConfiguration configuration;
    private final HttpClient http;
    private final Receipts receipts;

    Distribution(CardCompanionConfiguration configuration, HttpClient http, Receipts receipts) {
        this.configuration = configuration;
        this.http = http;
        this.receipts = receipts;
    }

    ProvisioningResponse fetch(ProvisioningParameters parameters, String hostUrl) throws LibraryException {
        Operation.requireParameters(parameters);
        Operation.require(
            "bankId", parameters.bankId, "uniqueId", parameters.uniqueId, "authCode", parameters.authCode,
            "timestamp", parameters.timestamp, "hashMac", parameters.hashMac);
        HostUrl host = host(hostUrl);
        RecipientKey key = key(parameters.prepared, Algorithm.RSA_OAEP_256);
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bankId", parameters.bankId);
        request.put("uniqueId", parameters.uniqueId);
        request.put("authCode", parameters.authCode);
        request.put("timestamp", parameters.timestamp);
        request.put("hashMac", parameters.hashMac);
        request.put("rsaPublicKey", key.publicKey());
        DisplayHints hints = hints(parameters.hints);
        request.putAll(hints.members());
        JsonObject answer = http.post(host.url("/v1/pin-distribution/captcha"), request);
        return delivered(answer, key, hints, ProvisioningResponse::new);
    }

    GetPINTokenResponse fetch(TokenProvisioningParameters parameters, String hostUrl) throws LibraryException {
        Operation.requireParameters(parameters);
        Operation.require("token", parameters.token, "signature", parameters.signature);
        HostUrl host = host(hostUrl);
        RecipientKey key = key(parameters.prepared, Algorithm.ECDH_ES_A256KW);
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("token", parameters.token);
        request.put("signature", parameters.signature);
        request.put("ecdhPublicKey", key.publicKey());
        DisplayHints hints = hints(parameters.hints);
        request.putAll(hints.members());
        JsonObject answer = http.post(host.url("/v1/pin-distribution/token/captcha"), request);
        return delivered(answer, key, hints, GetPINTokenResponse::new);
    }

    private static RecipientKey key(PreparedFetch prepared, Algorithm algorithm) throws LibraryException {
        return prepared == null ? RecipientKey.generate(algorithm) : prepared.keyFor(algorithm);
    }

    private static DisplayHints hints(DisplayHints hints) {
        return hints == null ? DisplayHints.NONE : hints;
    }

    private <R> R delivered(
            JsonObject answer, RecipientKey key, DisplayHints hints, BiFunction<Outcome, Delivery, R> response)
            throws LibraryException {
        Outcome outcome = Outcome.in(answer);
        if (!outcome.isSuccess()) return response.apply(outcome, Delivery.NONE);
        String sessionId = text(answer, "sessionId");
        DeliveredPin delivered = opened(text(answer, "pin"), key, hints);
        Delivery session = Delivery.incomplete(sessionId, receipts.keep(sessionId, delivered.notifyKey));
        Bytes.wipe(delivered.notifyKey);
        List<String> images = delivered.imagesInOrder();
        if (images != null) {
            boolean isCaptcha = delivered.format.equals("captcha");
            return response.apply(outcome, session.withImages(images, isCaptcha, delivered.freeField));
        }
        String text = delivered.text();
        if (text != null) return response.apply(outcome, session.withText(text, delivered.freeField));
        // Keeps the session, so that the app can notify the server of the error.
        return response.apply(Outcome.of(LibraryCode.INCOMPLETE_PIN), session);
    }

    private static DeliveredPin opened(String sealed, RecipientKey key, DisplayHints hints) throws LibraryException {
        byte[] plaintext = new CompactJwe(sealed).open(key);
        try {
            return new DeliveredPin(plaintext, hints.acceptsText());
        } finally {
            Bytes.wipe(plaintext);
        }
    }

    private static String text(JsonObject answer, String name) throws LibraryException {
        try {
            String text = answer.requiredText(name);
            if (!text.isEmpty()) return text;
        } catch (JsonException error) {
            // It is missing.
        }
        throw new LibraryException(LibraryCode.BAD_ANSWER_FORMAT, "pin or sessionId is missing");
    }

    NotifyResponse notify(NotifyParameters parameters, String hostUrl) throws LibraryException {
        Operation.requireParameters(parameters);
        checkOrder(parameters);
        String sessionId = parameters.sessionId;
        String hash = hash(parameters.bankId, parameters.uniqueId, sessionId, parameters.status);
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bankId", parameters.bankId);
        request.put("uniqueId", parameters.uniqueId);
        request.put("sessionId", sessionId);
        request.put("status", parameters.status);
        request.put("hash", hash);
        return new NotifyResponse(concluded(sessionId, request, host(hostUrl).url("/v1/pin-distribution/notify")));
    }

    private static void checkOrder(NotifyParameters parameters) throws LibraryException {
        Operation.require(
            "sessionId", parameters.sessionId, "bankId", parameters.bankId, "uniqueId", parameters.uniqueId);
        if (!parameters.sessionId.matches(SESSION_ID_FORM) || !Status.isRight(parameters.status)) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT,
                "NotifyParameters takes sessionId, bankId, uniqueId, status in this order; "
                    + "status is 0, 1 or 2, and sessionId is that of the fetch's response");
        }
    }

    TokenNotifyResponse notify(TokenNotifyParameters parameters, String hostUrl) throws LibraryException {
        Operation.requireParameters(parameters);
        Operation.require("token", parameters.token, "sessionId", parameters.sessionId);
        TokenNames names = new TokenNames(parameters.token);
        if (names.bankId == null || names.uniqueId == null) {
            throw new LibraryException(LibraryCode.INVALID_INPUT, "the token lacks IdBEL or IdPorteur");
        }
        if (!Status.isRight(parameters.status)) {
            throw new LibraryException(LibraryCode.INVALID_INPUT, "status must be 0, 1 or 2, see NotifyStatus");
        }
        String sessionId = parameters.sessionId;
        String hash = hash(names.bankId, names.uniqueId, sessionId, parameters.status);
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("token", parameters.token);
        request.put("sessionId", sessionId);
        request.put("status", parameters.status);
        request.put("hash", hash);
        String url = host(hostUrl).url("/v1/pin-distribution/token/notify");
        return new TokenNotifyResponse(concluded(sessionId, request, url));
    }

    /** The proof that the app could open the delivery: its key was in the delivery. */
    private String hash(String bankId, String uniqueId, String sessionId, int status) throws LibraryException {
        byte[] key = receipts.key(sessionId);
        if (key == null) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT,
                "no PIN was fetched with this sessionId in the last 24 hours, or the app was closed since: let "
                    + "CardCompanionSession.shared().setReceiptStore(new FileReceiptStore(getNoBackupFilesDir())) "
                    + "be called when the app starts");
        }
        try {
            return Hex.encode(Digests.hmac(key, Texts.utf8(bankId + uniqueId + sessionId + status)));
        } finally {
            Bytes.wipe(key);
        }
    }

    /** Keeps the key until the server has recorded the session's result, so that the app can retry a lost notify. */
    private Outcome concluded(String sessionId, Map<String, Object> request, String url) throws LibraryException {
        Outcome outcome = Outcome.in(http.post(url, request));
        if (outcome.isSuccess() || outcome.errorCode == DistributionCode.BAD_PARAMETER) receipts.forget(sessionId);
        return outcome;
    }

    private HostUrl host(String hostUrl) throws LibraryException {
        return new HostUrl(hostUrl, configuration.allowsPlainHTTP());
    }
}
