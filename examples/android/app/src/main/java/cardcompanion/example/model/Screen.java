package cardcompanion.example.model;

import java.util.List;

/** What the app's screen can show. Its functions are called on the main thread. */
public interface Screen {
    /**
     * Shows the images of a PIN, from left to right.
     *
     * @return whether all of them could be shown
     */
    boolean showImages(List<byte[]> pngs);

    /** Shows the digits of a PIN, for a cardholder whom the bank has marked. */
    boolean showText(String pin);

    /** Removes the PIN, and the keypad. */
    void clear();

    /** Shows a keypad; an empty text is an empty place. */
    void showKeypad(List<String> digits);

    /** Shows a message in place of the one before. */
    void showMessage(String message);
}
