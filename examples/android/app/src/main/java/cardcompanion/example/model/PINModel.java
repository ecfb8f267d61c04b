package cardcompanion.example.model;

import cardcompanion.sdk.Async;
import cardcompanion.sdk.KeyPadCoordinatesResponse;
import cardcompanion.sdk.NotifyStatus;
import cardcompanion.sdk.ProvisioningResponse;
import cardcompanion.sdk.SDKResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the app does, without Android: it fetches a PIN, shows it for some seconds and notifies the server, and lets the
 * cardholder choose a PIN. All functions are called on the main thread.
 */
public final class PINModel {
    /** How long a PIN is shown. */
    public static final int SHOWN_SECONDS = 10;

    private static final String NOT_SHOWN = "The PIN could not be shown. It can be fetched again.";

    /** Runs something on the main thread, later. */
    public interface Timer {
        void runAfter(int seconds, Runnable work);
    }

    private final Object context;
    private final Screen screen;
    private final Executor mainThread;
    private final Timer timer;
    private Async.Call underWay;
    /** Rises with each thing that is shown, so that a timer of an earlier one hides nothing. */
    private int shown;
    private KeyPadCoordinatesResponse keypad;
    private final List<Integer> touched = new ArrayList<>();

    public PINModel(Object context, Screen screen, Executor mainThread, Timer timer) {
        this.context = context;
        this.screen = screen;
        this.mainThread = mainThread;
        this.timer = timer;
    }

    // Showing the PIN.

    /** Shows the PIN of a cardholder with an authentication code. */
    public void showByCode(String hostUrl, Bank bank, String uniqueId, String authCode) {
        run(() -> Delivery.byCode(context, hostUrl, bank, uniqueId, authCode), this::show);
    }

    /** Shows the PIN of a cardholder by a token. */
    public void showByToken(String hostUrl, Bank bank, String uniqueId, String authCode) {
        run(() -> Delivery.byToken(context, hostUrl, bank, uniqueId, authCode), this::show);
    }

    private void show(Delivery delivery) {
        ProvisioningResponse response = delivery.response;
        boolean isShown = response.isSuccess() && showPIN(response);
        if (isShown) hideAfterSomeSeconds();
        screen.showMessage(isShown ? freeField(response) : response.isSuccess() ? NOT_SHOWN : message(response));
        if (response.sessionId == null) return;
        NotifyStatus failure = response.isSuccess() ? NotifyStatus.APP_ERROR : NotifyStatus.SERVER_ERROR;
        NotifyStatus status = isShown ? NotifyStatus.SUCCESS : failure;
        // It goes on also if the screen is left: cancelling a call only stops its answer.
        Async.run(() -> delivery.notify(status), mainThread, notified -> {
            if (!notified.isSuccess()) screen.showMessage(message(notified));
        });
    }

    private static String freeField(ProvisioningResponse response) {
        return response.freeField == null ? "" : response.freeField;
    }

    private boolean showPIN(ProvisioningResponse response) {
        if (response.text != null) return screen.showText(response.text);
        List<byte[]> images = new ArrayList<>();
        for (String image : response.images) images.add(Base64.getDecoder().decode(image));
        return screen.showImages(images);
    }

    private void hideAfterSomeSeconds() {
        int number = ++shown;
        timer.runAfter(SHOWN_SECONDS, () -> {
            if (shown == number) screen.clear();
        });
    }

    /** Hides everything: the app is left, or its screen is gone. */
    public void leave() {
        if (underWay != null) underWay.cancel();
        underWay = null;
        forgetKeypad();
        shown++;
        screen.clear();
    }

    // Choosing a PIN.

    /** Defines a PIN with the bank's hashMac. The PIN is overwritten. */
    public void defineByHMAC(String hostUrl, Bank bank, String uniqueId, char[] pin) {
        define(hostUrl, bank, uniqueId, choice -> choice.byHMAC(pin), () -> Arrays.fill(pin, '0'));
    }

    /** Defines a PIN with a token. The PIN is overwritten. */
    public void defineByToken(String hostUrl, Bank bank, String uniqueId, char[] pin) {
        define(hostUrl, bank, uniqueId, choice -> choice.byToken(pin), () -> Arrays.fill(pin, '0'));
    }

    /** Shows a keypad. */
    public void showKeypad(String hostUrl, Bank bank, String uniqueId) {
        run(() -> new Choice(context, hostUrl, bank, uniqueId).keypad(), response -> {
            forgetKeypad();
            screen.showMessage(response.isSuccess() ? "" : message(response));
            if (!response.isSuccess()) return;
            keypad = response;
            screen.showKeypad(response.keypad);
        });
    }

    /** Keeps a place of the keypad that was touched. */
    public void touch(int index) {
        if (keypad != null && !keypad.keypad.get(index).isEmpty()) touched.add(index);
    }

    /** Defines the PIN that was touched. */
    public void defineOnKeypad(String hostUrl, Bank bank, String uniqueId) {
        if (keypad == null) return;
        KeyPadCoordinatesResponse used = keypad;
        List<Integer> indexes = new ArrayList<>(touched);
        forgetKeypad();
        screen.clear();
        define(hostUrl, bank, uniqueId, choice -> choice.onKeypad(used, indexes), indexes::clear);
    }

    private void forgetKeypad() {
        keypad = null;
        touched.clear();
    }

    private void define(
            String hostUrl, Bank bank, String uniqueId, Function<Choice, SDKResponse> how, Runnable wipe) {
        Supplier<SDKResponse> definition = () -> {
            try {
                return how.apply(new Choice(context, hostUrl, bank, uniqueId));
            } finally {
                wipe.run();
            }
        };
        run(definition,
            response -> screen.showMessage(response.isSuccess() ? "The PIN was chosen." : message(response)));
    }

    // Both.

    private static String message(SDKResponse response) {
        String again = response.retryAfterSeconds == null ? "" : " Try again in " + response.retryAfterSeconds + " s.";
        return response.errorCode + ": " + response.errorMessage + again;
    }

    /** Runs something beside the main thread. If the bank's back-end fails, its message is shown. */
    private <R> void run(Supplier<R> work, Async.Callback<R> callback) {
        if (underWay != null) underWay.cancel();
        screen.clear();
        screen.showMessage("…");
        underWay = Async.run(() -> outcome(work, callback), mainThread, Runnable::run);
    }

    private <R> Runnable outcome(Supplier<R> work, Async.Callback<R> callback) {
        try {
            R response = work.get();
            return () -> callback.onResponse(response);
        } catch (IllegalStateException error) {
            return () -> screen.showMessage(error.getMessage());
        }
    }
}
