package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;
import java.util.List;

/**
 * A delivered PIN, or the code of an error (SDK document, section 4.1.1). {@link #errorCode} is a {@link
 * DistributionCode}.
 */
public class ProvisioningResponse extends DefinitionResponse {
    /**
     * The PIN as one captcha image, PNG in base64. Null on an error, if the bank delivers one image for each digit,
     * and if there is {@link #text}.
     */
    public final String pin;

    /**
     * The images to show, PNG in base64: the captcha, or one image for each digit in the PIN's order. Empty on an
     * error, and if there is {@link #text}.
     */
    public final List<String> images;

    /**
     * The PIN's digits, to show large or to speak: only if the hints named {@link DisplayHints.Format#TEXT}, for a
     * cardholder whom the bank has marked. Null otherwise. Forget it as soon as it was shown.
     */
    public final String text;

    /** The session that the notify must send. Null on an error, except 90013: the app can notify the server of it. */
    public final String sessionId;

    /** The bank's text for the cardholder, or null. Show it as text, never as HTML. */
    public final String freeField;

    /**
     * A text that an app may store, so that it can still notify the server after it was closed: see {@link
     * CardCompanionSession#restore}. Null without a session. With a {@link ReceiptStore} the library does this by
     * itself.
     *
     * <p>It contains the notify key. Whoever has it can confirm this delivery, but cannot see the PIN. Store it where
     * only the app can read, and delete it after the notify.
     */
    public final String notifyReceipt;

    ProvisioningResponse(Outcome outcome, Delivery delivery) {
        super(outcome);
        pin = delivery.pin;
        images = delivery.images;
        text = delivery.text;
        sessionId = delivery.sessionId;
        freeField = delivery.freeField;
        notifyReceipt = delivery.notifyReceipt;
    }

    /**
     * See {@link #pin}.
     *
     * @return the captcha, PNG in base64, or null
     */
    public final String getPin() {
        return pin;
    }

    /**
     * See {@link #images}.
     *
     * @return the images to show, PNG in base64
     */
    public final List<String> getImages() {
        return images;
    }

    /**
     * See {@link #text}.
     *
     * @return the PIN's digits, or null
     */
    public final String getText() {
        return text;
    }

    /**
     * See {@link #sessionId}.
     *
     * @return the session that the notify must send, or null
     */
    public final String getSessionId() {
        return sessionId;
    }

    /**
     * See {@link #freeField}.
     *
     * @return the bank's text for the cardholder, or null
     */
    public final String getFreeField() {
        return freeField;
    }

    /**
     * See {@link #notifyReceipt}.
     *
     * @return the receipt, or null
     */
    public final String getNotifyReceipt() {
        return notifyReceipt;
    }
}
