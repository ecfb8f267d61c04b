package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.util.Arrays;

/** The plaintext of a defined PIN, before encryption. Padding hides the PIN's length. The caller wipes it. */
public final class PinPlaintext {
    private static final int DIGITS_BYTE_COUNT = 16;
    private static final int INDEXES_BYTE_COUNT = 64;
    private static final int MAXIMUM_KEYPAD_SIZE = 60;

    private final int minimum;
    private final int maximum;

    /** @param minimum the smallest number of digits, and maximum the largest */
    public PinPlaintext(int minimum, int maximum) {
        this.minimum = minimum;
        this.maximum = maximum;
    }

    /**
     * The plaintext of a PIN in digits.
     *
     * @throws LibraryException 90007 if it is not digits only, or has another length
     */
    public byte[] digits(CharSequence pin) throws LibraryException {
        if (!isRight(pin.length()) || !Texts.isDigits(pin)) throw refused("digits");
        return padded(pin, DIGITS_BYTE_COUNT);
    }

    /**
     * The plaintext of a PIN in keypad indexes.
     *
     * @param text indexes as "0,1,0,1" or "[0, 1, 0, 1]"; or plain digits for a keypad of ten places
     * @throws LibraryException 90007 if it has another form, or another number of indexes
     */
    public byte[] indexes(CharSequence text) throws LibraryException {
        if (isRight(text.length()) && Texts.isDigits(text)) return padded(text, INDEXES_BYTE_COUNT);
        int start = 0;
        int end = text.length();
        if (end >= 2 && text.charAt(0) == '[' && text.charAt(end - 1) == ']') {
            start++;
            end--;
        }
        byte[] plaintext = padded("", INDEXES_BYTE_COUNT);
        try {
            if (!isRight(writeIndexes(text.subSequence(start, end), plaintext))) throw refused("indexes");
            return plaintext;
        } catch (LibraryException error) {
            Bytes.wipe(plaintext);
            throw error;
        }
    }

    /** Writes the indexes with commas between them, and returns their number. */
    private int writeIndexes(CharSequence list, byte[] plaintext) throws LibraryException {
        int offset = 0;
        int count = 0;
        for (int start = 0; start <= list.length(); count++) {
            int end = start;
            while (end < list.length() && list.charAt(end) != ',') end++;
            int index = index(list, start, end);
            if (count == maximum) throw refused("indexes");
            if (count > 0) plaintext[offset++] = ',';
            if (index > 9) plaintext[offset++] = (byte) ('0' + index / 10);
            plaintext[offset++] = (byte) ('0' + index % 10);
            start = end + 1;
        }
        return count;
    }

    private int index(CharSequence list, int start, int end) throws LibraryException {
        int first = start;
        int last = end;
        while (first < last && list.charAt(first) == ' ') first++;
        while (last > first && list.charAt(last - 1) == ' ') last--;
        int index = 0;
        for (int position = first; position < last; position++) {
            char digit = list.charAt(position);
            if (digit < '0' || digit > '9') throw refused("indexes");
            index = index * 10 + digit - '0';
            if (index >= MAXIMUM_KEYPAD_SIZE) throw refused("indexes");
        }
        if (first == last) throw refused("indexes");
        return index;
    }

    private boolean isRight(int count) {
        return count >= minimum && count <= maximum;
    }

    private static byte[] padded(CharSequence text, int byteCount) {
        byte[] bytes = new byte[byteCount];
        Arrays.fill(bytes, (byte) ' ');
        for (int index = 0; index < text.length(); index++) bytes[index] = (byte) text.charAt(index);
        return bytes;
    }

    private LibraryException refused(String what) {
        return new LibraryException(
            LibraryCode.BAD_PIN_FORMAT, "the PIN must have " + minimum + " to " + maximum + " " + what);
    }
}
