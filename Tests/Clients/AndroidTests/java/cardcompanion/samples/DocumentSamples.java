package cardcompanion.samples;

import cardcompanion.sdk.CardCompanionConfiguration;
import cardcompanion.sdk.CardCompanionSession;
import cardcompanion.sdk.CryptoUtil;
import cardcompanion.sdk.DefinitionParameters;
import cardcompanion.sdk.DefinitionTokenParameters;
import cardcompanion.sdk.DisplayHints;
import cardcompanion.sdk.FileReceiptStore;
import cardcompanion.sdk.KeyPad;
import cardcompanion.sdk.KeyPadCoordinatesParameters;
import cardcompanion.sdk.KeyPadCoordinatesResponse;
import cardcompanion.sdk.NotifyParameters;
import cardcompanion.sdk.PINDefinition;
import cardcompanion.sdk.PINDistribution;
import cardcompanion.sdk.PreparedFetch;
import cardcompanion.sdk.ProvisioningParameters;
import cardcompanion.sdk.ProvisioningResponse;
import cardcompanion.sdk.SDKResponse;
import cardcompanion.sdk.SealedPIN;
import cardcompanion.sdk.TokenNotifyParameters;
import cardcompanion.sdk.TokenProvisioningParameters;
import cardcompanion.sdk.internal.JsonException;
import cardcompanion.sdk.internal.JsonObject;
import cardcompanion.sdk.internal.JsonParser;
import cardcompanion.sdk.internal.JsonWriter;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Makes the calls of the SDK document for another program. Each line of standard input is a JSON object with the name
 * of a call and its parameters, and is answered with one line, so that the other program can make a proof in between.
 * All calls share one session.
 *
 * <p>Each call has the parameters of the document's function under their own names, and "hostUrl". "form" is "sample"
 * (as in the document's samples, the default), "table", "deprecated" or "async", see {@link Forms}. The other members
 * and calls:
 *
 * <ul>
 *   <li>postGetPINCaptchaRequest, postGetPINCaptchaTokenRequest: prepared (a number from prepareFetch), style, theme,
 *       scale, formats;
 *   <li>postDefinePINRequest, postDefinePINECDHRequest, postDefinePINECDHCBRequest: sealed (a number from sealPIN…)
 *       in place of the PIN or indexes; indexes is a list of integers; keypadId;
 *   <li>prepareFetch, prepareTokenFetch: answered with prepared and binding;
 *   <li>sealPIN (bankId, uniqueId, timestamp, pin), sealPINECDH (bankId, uniqueId, idTransaction, pin), sealPINECDHCB
 *       (bankId, uniqueId, idTransaction, indexes, keypadId): answered with sealed and binding;
 *   <li>configure: timeoutSeconds, pinnedServerKeyThumbprints, minimumPINLength and maximumPINLength, receiptFolder:
 *       begins with a new session;
 *   <li>restore (notifyReceipt): answered with restored, 1 or 0; discardKeypads (bankId, uniqueId);
 *   <li>computeHMAC (key, data); indexes (pin, keypad);
 *   <li>together (calls): makes calls at the same time, and answers with answers.
 * </ul>
 *
 * <p>A line that is no call is answered with "fault".
 */
public final class DocumentSamples {
    private final List<PreparedFetch> prepared = new ArrayList<>();
    private final List<SealedPIN> sealed = new ArrayList<>();

    private DocumentSamples() {}

    public static void main(String[] arguments) throws IOException {
        DocumentSamples samples = new DocumentSamples();
        PrintStream output = new PrintStream(System.out, true, "UTF-8");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            output.println(JsonWriter.write(samples.answer(line)));
        }
    }

    private Map<String, Object> answer(String line) {
        try {
            return answer(JsonParser.object(line));
        } catch (JsonException | ExecutionException | InterruptedException | RuntimeException error) {
            return one("fault", String.valueOf(error));
        }
    }

    private static Map<String, Object> one(String name, Object value) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(name, value);
        return members;
    }

    private Map<String, Object> answer(JsonObject call) throws JsonException, ExecutionException, InterruptedException {
        switch (call.requiredText("call")) {
            case "prepareFetch": return prepared(PINDistribution.prepareFetch());
            case "prepareTokenFetch": return prepared(PINDistribution.prepareTokenFetch());
            case "sealPIN": case "sealPINECDH": case "sealPINECDHCB": return sealed(seal(call));
            case "configure": return configure(call);
            case "restore":
                boolean isRestored = CardCompanionSession.shared().restore(call.text("notifyReceipt"));
                return one("restored", isRestored ? 1 : 0);
            case "discardKeypads":
                PINDefinition.discardKeypads(call.text("bankId"), call.text("uniqueId"));
                return one("discarded", 1);
            case "computeHMAC": return one("hmac", CryptoUtil.computeHMAC(call.text("key"), call.text("data")));
            case "indexes": return one("indexes", KeyPad.indexes(call.text("pin"), call.textsOrNulls("keypad")));
            case "together": return together(call.objects("calls"));
            default: return members(operation(call));
        }
    }

    private Map<String, Object> together(List<JsonObject> calls) throws ExecutionException, InterruptedException {
        List<FutureTask<Map<String, Object>>> tasks = new ArrayList<>();
        for (JsonObject call : calls) {
            FutureTask<Map<String, Object>> task = new FutureTask<>(() -> answer(call));
            tasks.add(task);
            new Thread(task).start();
        }
        List<Map<String, Object>> answers = new ArrayList<>();
        for (FutureTask<Map<String, Object>> task : tasks) answers.add(task.get());
        return one("answers", answers);
    }

    // What is made before a call.

    private Map<String, Object> prepared(PreparedFetch fetch) {
        prepared.add(fetch);
        Map<String, Object> members = members(fetch);
        members.put("prepared", prepared.size());
        members.put("binding", fetch.getBinding());
        return members;
    }

    private Map<String, Object> sealed(SealedPIN pin) {
        sealed.add(pin);
        Map<String, Object> members = members(pin);
        members.put("sealed", sealed.size());
        members.put("binding", pin.getBinding());
        return members;
    }

    private static SealedPIN seal(JsonObject call) throws JsonException {
        String bankId = call.text("bankId");
        String uniqueId = call.text("uniqueId");
        String hostUrl = call.text("hostUrl");
        switch (call.text("call")) {
            case "sealPIN":
                return PINDefinition.sealPIN(bankId, uniqueId, call.text("timestamp"), call.text("pin"), hostUrl);
            case "sealPINECDH":
                return PINDefinition.sealPINECDH(
                    bankId, uniqueId, call.text("idTransaction"), call.text("pin").toCharArray(), hostUrl);
            default:
                return PINDefinition.sealPINECDHCB(
                    bankId, uniqueId, call.text("idTransaction"), call.integers("indexes"), call.text("keypadId"),
                    hostUrl);
        }
    }

    private static Map<String, Object> configure(JsonObject call) throws JsonException {
        CardCompanionConfiguration configuration = new CardCompanionConfiguration();
        if (call.has("timeoutSeconds")) {
            configuration = configuration.withTimeoutSeconds(call.requiredInteger("timeoutSeconds"));
        }
        if (call.has("minimumPINLength")) {
            configuration = configuration.withDefinedPINLengths(
                call.requiredInteger("minimumPINLength"), call.requiredInteger("maximumPINLength"));
        }
        List<String> pins = call.texts("pinnedServerKeyThumbprints");
        if (pins != null) configuration = configuration.withPinnedServerKeyThumbprints(pins.toArray(new String[0]));
        CardCompanionSession session = new CardCompanionSession(configuration);
        String folder = call.text("receiptFolder");
        if (folder != null) session.setReceiptStore(new FileReceiptStore(new File(folder)));
        CardCompanionSession.setShared(session);
        return one("configured", 1);
    }

    // The operations.

    private SDKResponse operation(JsonObject call) throws JsonException {
        String hostUrl = call.text("hostUrl");
        String form = call.has("form") ? call.text("form") : "sample";
        boolean isSample = form.equals("sample");
        Forms forms = new Forms(form, hostUrl);
        switch (call.text("call")) {
            case "postGetPINCaptchaRequest": return fetch(call, isSample, forms);
            case "postGetPINCaptchaTokenRequest": return fetchByToken(call, isSample, forms);
            case "postNotifyRequest":
                return isSample
                    ? Samples.notify(
                        call.text("sessionId"), call.text("bankId"), call.text("uniqueId"), call.text("status"),
                        hostUrl)
                    : forms.run(new NotifyParameters(
                        call.text("sessionId"), call.text("bankId"), call.text("uniqueId"), call.text("status")));
            case "postNotifyTokenRequest":
                return isSample
                    ? Samples.notifyByToken(call.text("token"), call.text("sessionId"), call.text("status"), hostUrl)
                    : forms.run(new TokenNotifyParameters(
                        call.text("token"), call.text("sessionId"), call.text("status")));
            case "postDefinePINRequest": return define(call, isSample, forms);
            case "postDefinePINECDHRequest": return defineByToken(call, isSample, forms);
            case "postGetKeyPadCoordinatesRequest":
                int size = call.requiredInteger("keypadSize");
                return isSample
                    ? Samples.getKeyPad(call.text("bankId"), call.text("uniqueId"), size, hostUrl)
                    : forms.run(new KeyPadCoordinatesParameters(call.text("bankId"), call.text("uniqueId"), size));
            case "postDefinePINECDHCBRequest": return defineByIndexes(call, isSample, forms);
            default: throw new IllegalArgumentException("this call is not known");
        }
    }

    /** What the samples have no place for is sent in the order of the tables. */
    private static Forms tableIfSample(boolean isSample, Forms forms, JsonObject call) throws JsonException {
        return isSample ? new Forms("table", call.text("hostUrl")) : forms;
    }

    private static boolean isPlain(JsonObject call, boolean isSample, String... names) {
        boolean isPlain = isSample;
        for (String name : names) isPlain = isPlain && !call.has(name);
        return isPlain;
    }

    private SDKResponse fetch(JsonObject call, boolean isSample, Forms forms) throws JsonException {
        if (isPlain(call, isSample, "prepared", "style", "theme", "scale", "formats")) {
            return Samples.getPINCaptcha(
                call.text("bankId"), call.text("uniqueId"), call.text("authCode"), call.text("timestamp"),
                call.text("hashMac"), call.text("hostUrl"));
        }
        ProvisioningParameters parameters = new ProvisioningParameters(
            call.text("bankId"), call.text("uniqueId"), call.text("authCode"), call.text("timestamp"),
            call.text("hashMac")).withHints(hints(call));
        if (call.has("prepared")) {
            parameters = parameters.withPreparedFetch(prepared.get(call.requiredInteger("prepared") - 1));
        }
        return tableIfSample(isSample, forms, call).run(parameters);
    }

    private SDKResponse fetchByToken(JsonObject call, boolean isSample, Forms forms) throws JsonException {
        if (isPlain(call, isSample, "prepared", "style", "theme", "scale", "formats")) {
            return Samples.getPINCaptchaByToken(call.text("token"), call.text("signature"), call.text("hostUrl"));
        }
        TokenProvisioningParameters parameters =
            new TokenProvisioningParameters(call.text("token"), call.text("signature")).withHints(hints(call));
        if (call.has("prepared")) {
            parameters = parameters.withPreparedFetch(prepared.get(call.requiredInteger("prepared") - 1));
        }
        return tableIfSample(isSample, forms, call).run(parameters);
    }

    private static DisplayHints hints(JsonObject call) throws JsonException {
        DisplayHints hints = DisplayHints.NONE;
        if (call.has("style")) hints = hints.withStyle(value(DisplayHints.Style.class, call.text("style")));
        if (call.has("theme")) hints = hints.withTheme(value(DisplayHints.Theme.class, call.text("theme")));
        if (call.has("scale")) hints = hints.withScale(call.requiredInteger("scale"));
        List<String> names = call.texts("formats");
        if (names == null) return hints;
        List<DisplayHints.Format> formats = new ArrayList<>();
        for (String name : names) formats.add(value(DisplayHints.Format.class, name));
        return hints.withFormats(formats.toArray(new DisplayHints.Format[0]));
    }

    private static <E extends Enum<E>> E value(Class<E> type, String name) {
        return Enum.valueOf(type, name.toUpperCase(Locale.ROOT));
    }

    private SDKResponse define(JsonObject call, boolean isSample, Forms forms) throws JsonException {
        if (isPlain(call, isSample, "sealed")) {
            return Samples.definePIN(
                call.text("bankId"), call.text("uniqueId"), call.text("timestamp"), call.text("hashMac"),
                call.text("pin"), call.text("hostUrl"));
        }
        DefinitionParameters parameters = call.has("sealed")
            ? new DefinitionParameters(sealed(call), call.text("hashMac"))
            : new DefinitionParameters(
                call.text("bankId"), call.text("uniqueId"), call.text("timestamp"), call.text("hashMac"),
                call.text("pin").toCharArray());
        return tableIfSample(isSample, forms, call).run(parameters);
    }

    private SDKResponse defineByToken(JsonObject call, boolean isSample, Forms forms) throws JsonException {
        if (isPlain(call, isSample, "sealed")) {
            return Samples.definePINByToken(
                call.text("token"), call.text("signature"), call.text("pin"), call.text("hostUrl"));
        }
        DefinitionTokenParameters parameters = call.has("sealed")
            ? new DefinitionTokenParameters(call.text("token"), call.text("signature"), sealed(call))
            : new DefinitionTokenParameters(
                call.text("token"), call.text("signature"), call.text("pin").toCharArray());
        return tableIfSample(isSample, forms, call).runECDH(parameters);
    }

    private SDKResponse defineByIndexes(JsonObject call, boolean isSample, Forms forms) throws JsonException {
        if (isPlain(call, isSample, "sealed", "keypadId")) {
            return Samples.definePINByIndexes(
                call.text("token"), call.text("signature"), call.integers("indexes"), call.text("hostUrl"));
        }
        DefinitionTokenParameters parameters = call.has("sealed")
            ? new DefinitionTokenParameters(call.text("token"), call.text("signature"), sealed(call))
            : new DefinitionTokenParameters(call.text("token"), call.text("signature"), call.integers("indexes"));
        if (call.has("keypadId")) parameters = parameters.withKeypadId(call.text("keypadId"));
        return tableIfSample(isSample, forms, call).runECDHCB(parameters);
    }

    private SealedPIN sealed(JsonObject call) throws JsonException {
        return sealed.get(call.requiredInteger("sealed") - 1);
    }

    // The answers.

    private static Map<String, Object> members(SDKResponse response) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", response.getClass().getSimpleName());
        members.put("errorCode", response.errorCode);
        members.put("errorMessage", response.errorMessage);
        members.put("retryAfterSeconds", response.retryAfterSeconds);
        if (response instanceof ProvisioningResponse) {
            ProvisioningResponse delivery = (ProvisioningResponse) response;
            members.put("pin", delivery.pin);
            members.put("images", delivery.images);
            members.put("text", delivery.text);
            members.put("sessionId", delivery.sessionId);
            members.put("freeField", delivery.freeField);
            members.put("notifyReceipt", delivery.notifyReceipt);
        }
        if (response instanceof KeyPadCoordinatesResponse) {
            KeyPadCoordinatesResponse keypad = (KeyPadCoordinatesResponse) response;
            members.put("keypad", keypad.keypad);
            members.put("keypadId", keypad.keypadId);
        }
        return members;
    }
}
