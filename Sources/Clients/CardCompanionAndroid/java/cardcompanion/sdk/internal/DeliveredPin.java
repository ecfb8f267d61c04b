package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;

/** The plaintext of a delivered PIN. */
public final class DeliveredPin {
    static final int NOTIFY_KEY_BYTE_COUNT = 32;
    /** PINs have 4 to 12 digits (ISO 9564-1). */
    private static final int MINIMUM_LENGTH = 4;
    private static final int MAXIMUM_LENGTH = 12;
    private static final byte[] PNG_SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

    /** captcha, digits or text. */
    public final String format;
    public final byte[] notifyKey;
    /** The bank's text for the cardholder, or null. */
    public final String freeField;
    private final int length;
    private final List<String> images;
    private final List<Integer> order;
    private final String text;

    /**
     * Parses the JSON.
     *
     * @param acceptsText whether the app has asked for the digits themselves
     * @throws LibraryException 90011 if a member is missing or invalid
     */
    public DeliveredPin(byte[] plaintext, boolean acceptsText) throws LibraryException {
        try {
            JsonObject members = JsonParser.object(plaintext);
            format = members.requiredText("format");
            length = members.requiredInteger("length");
            images = members.texts("images");
            order = members.integers("order");
            text = members.text("text");
            freeField = members.text("freeField");
            notifyKey = Base64Url.decode(members.requiredText("notifyKey"));
        } catch (JsonException error) {
            throw refused("a member is missing or has the wrong type");
        }
        check(acceptsText);
    }

    private void check(boolean acceptsText) throws LibraryException {
        if (!Arrays.asList("captcha", "digits", "text").contains(format)) throw refused("the format is not known");
        if (isText() && !(acceptsText && text != null && images == null)) {
            throw refused("format text must have text and no images, and be asked for");
        }
        if (notifyKey == null || notifyKey.length != NOTIFY_KEY_BYTE_COUNT) {
            throw refused("notifyKey must be 32 bytes in base64url");
        }
        if (isText()) return;
        if (images == null) throw refused("images are missing");
        for (String image : images) {
            if (!isPNG(image)) throw refused("images must be PNG in base64");
        }
    }

    private boolean isText() {
        return format.equals("text");
    }

    /** The captcha, or one image for each digit in the PIN's order. Null if they do not match the PIN's length. */
    public List<String> imagesInOrder() {
        if (isText() || !isLength(length)) return null;
        if (format.equals("captcha")) return images.size() == 1 ? images : null;
        List<Integer> places = new ArrayList<>(order == null ? Collections.<Integer>emptyList() : order);
        Collections.sort(places);
        List<String> ordered = new ArrayList<>();
        for (int place = 0; place < length; place++) {
            if (images.size() != length || places.size() != length || places.get(place) != place) return null;
            ordered.add(images.get(order.get(place)));
        }
        return ordered;
    }

    /** The digits themselves. Null if the format is another one, or they do not match the PIN's length. */
    public String text() {
        return isText() && isLength(length) && text.length() == length && Texts.isDigits(text) ? text : null;
    }

    private static boolean isLength(int length) {
        return length >= MINIMUM_LENGTH && length <= MAXIMUM_LENGTH;
    }

    private static boolean isPNG(String base64) {
        try {
            byte[] image = Base64.getDecoder().decode(base64);
            return image.length >= PNG_SIGNATURE.length
                && Arrays.equals(Arrays.copyOf(image, PNG_SIGNATURE.length), PNG_SIGNATURE);
        } catch (IllegalArgumentException error) {
            return false;
        }
    }

    private static LibraryException refused(String detail) {
        return new LibraryException(LibraryCode.PLAINTEXT_NOT_PARSED, detail);
    }
}
