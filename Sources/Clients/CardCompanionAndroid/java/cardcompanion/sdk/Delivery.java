package cardcompanion.sdk;

import java.util.Collections;
import java.util.List;

/** What a fetch has delivered. */
final class Delivery {
    static final Delivery NONE = new Delivery(null, null, null, Collections.<String>emptyList(), null, null);

    final String sessionId;
    final String notifyReceipt;
    final String pin;
    final List<String> images;
    final String text;
    final String freeField;

    private Delivery(
            String sessionId, String notifyReceipt, String pin, List<String> images, String text, String freeField) {
        this.sessionId = sessionId;
        this.notifyReceipt = notifyReceipt;
        this.pin = pin;
        this.images = images;
        this.text = text;
        this.freeField = freeField;
    }

    /** A session without a PIN that could be shown. */
    static Delivery incomplete(String sessionId, String notifyReceipt) {
        return new Delivery(sessionId, notifyReceipt, null, Collections.<String>emptyList(), null, null);
    }

    Delivery withImages(List<String> images, boolean isCaptcha, String freeField) {
        List<String> copy = Collections.unmodifiableList(images);
        return new Delivery(sessionId, notifyReceipt, isCaptcha ? copy.get(0) : null, copy, null, freeField);
    }

    Delivery withText(String text, String freeField) {
        return new Delivery(sessionId, notifyReceipt, null, Collections.<String>emptyList(), text, freeField);
    }
}
