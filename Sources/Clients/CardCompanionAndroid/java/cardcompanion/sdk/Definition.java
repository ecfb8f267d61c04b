package cardcompanion.sdk;

import cardcompanion.sdk.internal.Algorithm;
import cardcompanion.sdk.internal.Bytes;
import cardcompanion.sdk.internal.HostUrl;
import cardcompanion.sdk.internal.HttpClient;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.KeypadMemory;
import cardcompanion.sdk.internal.LibraryException;
import cardcompanion.sdk.internal.Outcome;
import cardcompanion.sdk.internal.PinPlaintext;
import cardcompanion.sdk.internal.RequestBinding;
import cardcompanion.sdk.internal.RequestBinding.Content;
import cardcompanion.sdk.internal.ServerKey;
import cardcompanion.sdk.internal.TokenNames;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** PIN definition: the requests, and what becomes of their answers. */
final class Definition {
    private final CardCompanionConfiguration configuration;
    private final HttpClient http;
    private final KeypadMemory keypads;
    private final PinPlaintext plaintexts;

    Definition(CardCompanionConfiguration configuration, HttpClient http, KeypadMemory keypads) {
        this.configuration = configuration;
        this.http = http;
        this.keypads = keypads;
        plaintexts = new PinPlaintext(configuration.getMinimumPINLength(), configuration.getMaximumPINLength());
    }

    DefinitionResponse define(DefinitionParameters parameters, String hostUrl) throws LibraryException {
        Operation.requireParameters(parameters);
        requireSealed(parameters.sealed);
        Operation.require(
            "bankId", parameters.bankId, "uniqueId", parameters.uniqueId, "timestamp", parameters.timestamp,
            "hashMac", parameters.hashMac, "pin", given(parameters.pin, parameters.sealed));
        RequestBinding binding = new RequestBinding(
            Content.PIN, parameters.bankId, parameters.uniqueId, parameters.timestamp, null);
        HostUrl host = host(hostUrl);
        String sealed = parameters.sealed != null
            ? parameters.sealed.compactFor(Content.PIN, Algorithm.RSA_OAEP_256)
            : sealed(parameters.pin, binding, Algorithm.RSA_OAEP_256, host);
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bankId", parameters.bankId);
        request.put("uniqueId", parameters.uniqueId);
        request.put("timestamp", parameters.timestamp);
        request.put("hashMac", parameters.hashMac);
        request.put("pin", sealed);
        return new DefinitionResponse(Outcome.in(http.post(host.url("/v1/pin-definition/pin"), request)));
    }

    GetPINTokenResponse defineByToken(DefinitionTokenParameters parameters, String hostUrl) throws LibraryException {
        requireAll(parameters, "pin");
        HostUrl host = host(hostUrl);
        RequestBinding binding = binding(Content.PIN, new TokenNames(parameters.token), null);
        String sealed = parameters.sealed != null
            ? sealedBefore(parameters.sealed, binding)
            : sealed(parameters.pinOrIndexes, binding, Algorithm.ECDH_ES_A256KW, host);
        Map<String, Object> request = tokenRequest(parameters);
        request.put("pin", sealed);
        Outcome outcome = Outcome.in(http.post(host.url("/v1/pin-definition/token/pin"), request));
        return new GetPINTokenResponse(outcome, Delivery.NONE);
    }

    DefinitionResponse defineByIndexes(DefinitionTokenParameters parameters, String hostUrl) throws LibraryException {
        requireAll(parameters, "indexes");
        HostUrl host = host(hostUrl);
        TokenNames names = new TokenNames(parameters.token);
        String keypadId = keypadId(parameters, names);
        RequestBinding binding = binding(Content.INDEXES, names, keypadId);
        String sealed = parameters.sealed != null
            ? sealedBefore(parameters.sealed, binding)
            : sealed(parameters.pinOrIndexes, binding, Algorithm.ECDH_ES_A256KW, host);
        Map<String, Object> request = tokenRequest(parameters);
        request.put("indexes", sealed);
        request.put("keypadId", keypadId);
        Outcome outcome = Outcome.in(http.post(host.url("/v1/pin-definition/token/pin-indexes"), request));
        if (outcome.isSuccess() && keypadId != null) keypads.forget(names.bankId, names.uniqueId, keypadId);
        return new DefinitionResponse(outcome);
    }

    private String keypadId(DefinitionTokenParameters parameters, TokenNames names) throws LibraryException {
        if (parameters.sealed != null) return parameters.sealed.request.keypadId;
        return keypadId(parameters.keypadId, names.bankId, names.uniqueId);
    }

    /** The keypad that an app names, or the newest one. */
    private String keypadId(String given, String bankId, String uniqueId) throws LibraryException {
        if (given == null) return keypads.newest(bankId, uniqueId);
        Operation.require("keypadId", given);
        return given;
    }

    private static RequestBinding binding(Content content, TokenNames names, String keypadId) {
        return new RequestBinding(content, names.bankId, names.uniqueId, names.transactionId, keypadId);
    }

    private static Map<String, Object> tokenRequest(DefinitionTokenParameters parameters) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("token", parameters.token);
        request.put("signature", parameters.signature);
        return request;
    }

    private static void requireAll(DefinitionTokenParameters parameters, String name) throws LibraryException {
        Operation.requireParameters(parameters);
        requireSealed(parameters.sealed);
        Operation.require(
            "token", parameters.token, "signature", parameters.signature,
            name, given(parameters.pinOrIndexes, parameters.sealed));
    }

    /** A PIN that could not be sealed keeps the code that says why. */
    private static void requireSealed(SealedPIN sealed) throws LibraryException {
        if (sealed != null && !sealed.isSuccess()) sealed.compactFor(sealed.request.content, sealed.algorithm);
    }

    private static CharSequence given(CharSequence pin, SealedPIN sealed) {
        return sealed == null ? pin : sealed.compact;
    }

    /** A PIN that was sealed before the token was signed must be for the request that the token names. */
    private static String sealedBefore(SealedPIN sealed, RequestBinding binding) throws LibraryException {
        String compact = sealed.compactFor(binding.content, Algorithm.ECDH_ES_A256KW);
        boolean isSame = Objects.equals(sealed.request.bankId, binding.bankId)
            && Objects.equals(sealed.request.uniqueId, binding.uniqueId)
            && Objects.equals(sealed.request.requestId, binding.requestId);
        if (!isSame) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT, "the PIN was sealed for another IdBEL, IdPorteur or IdTransaction");
        }
        return compact;
    }

    /** Seals a PIN or indexes before the bank's back-end makes its proof. */
    SealedPIN seal(CharSequence pin, RequestBinding given, Algorithm algorithm, String hostUrl) {
        return Operation.run(
            () -> {
                Operation.require(
                    "bankId", given.bankId, "uniqueId", given.uniqueId,
                    algorithm == Algorithm.RSA_OAEP_256 ? "timestamp" : "idTransaction", given.requestId,
                    given.content == Content.PIN ? "pin" : "indexes", pin);
                RequestBinding request = given.content == Content.PIN ? given : withKeypad(given);
                String compact = sealed(pin, request, algorithm, host(hostUrl));
                return new SealedPIN(Outcome.success(), request, algorithm, compact);
            },
            outcome -> new SealedPIN(outcome, given, algorithm, null));
    }

    private RequestBinding withKeypad(RequestBinding given) throws LibraryException {
        String keypadId = keypadId(given.keypadId, given.bankId, given.uniqueId);
        return new RequestBinding(given.content, given.bankId, given.uniqueId, given.requestId, keypadId);
    }

    /** Fetches the server's key set for each call, because a cached key may have been rotated. */
    private String sealed(CharSequence pin, RequestBinding request, Algorithm algorithm, HostUrl host)
            throws LibraryException {
        byte[] plaintext = request.content == Content.PIN ? plaintexts.digits(pin) : plaintexts.indexes(pin);
        try {
            JsonObject set = http.get(host.url("/.well-known/jwks.json"));
            ServerKey key = new ServerKey(set, algorithm, configuration.getPinnedServerKeyThumbprints());
            return key.seal(plaintext, request);
        } finally {
            Bytes.wipe(plaintext);
        }
    }

    KeyPadCoordinatesResponse fetchKeypad(KeyPadCoordinatesParameters parameters, String hostUrl)
            throws LibraryException {
        Operation.requireParameters(parameters);
        Operation.require("bankId", parameters.bankId, "uniqueId", parameters.uniqueId);
        HostUrl host = host(hostUrl);
        keypads.begin(parameters.bankId, parameters.uniqueId);
        String handedOut = null;
        try {
            KeyPadCoordinatesResponse response = requestKeypad(parameters, host);
            handedOut = response.keypadId;
            return response;
        } finally {
            keypads.end(parameters.bankId, parameters.uniqueId, handedOut);
        }
    }

    private KeyPadCoordinatesResponse requestKeypad(KeyPadCoordinatesParameters parameters, HostUrl host)
            throws LibraryException {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("bankId", parameters.bankId);
        request.put("uniqueId", parameters.uniqueId);
        request.put("keypadSize", parameters.keypadSize);
        JsonObject answer = http.post(host.url("/v1/pin-definition/keypad-coordinates"), request);
        Outcome outcome = Outcome.in(answer);
        if (!outcome.isSuccess()) {
            return new KeyPadCoordinatesResponse(outcome, Collections.<String>emptyList(), null);
        }
        try {
            List<String> keypad = answer.textsOrNulls("keypad");
            String keypadId = answer.requiredText("keypadId");
            boolean isRight = keypad != null && keypad.size() == parameters.keypadSize && KeyPad.isComplete(keypad)
                && !keypadId.isEmpty();
            if (isRight) return new KeyPadCoordinatesResponse(outcome, keypad, keypadId);
        } catch (JsonException error) {
            // It is no keypad.
        }
        throw new LibraryException(
            LibraryCode.BAD_ANSWER_FORMAT,
            "the answer does not contain a keypad of " + parameters.keypadSize + " places");
    }

    private HostUrl host(String hostUrl) throws LibraryException {
        return new HostUrl(hostUrl, configuration.allowsPlainHTTP());
    }
}
