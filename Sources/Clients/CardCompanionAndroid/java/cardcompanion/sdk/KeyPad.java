package cardcompanion.sdk;

import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;

/** Functions for a keypad that the server has scrambled (SDK document, section 5.5). */
public final class KeyPad {
    private KeyPad() {}

    /**
     * Finds the digits of a PIN on a keypad.
     *
     * @param pin the PIN's digits
     * @param keypad the keypad, see {@link KeyPadCoordinatesResponse#keypad}
     * @return the index of each digit, counted from 0; null if the PIN is empty or a digit is not on the keypad
     */
    public static List<Integer> indexes(String pin, List<String> keypad) {
        return find(pin, keypad);
    }

    /**
     * Finds the digits of a PIN on a keypad.
     *
     * @param pin the PIN's digits, which the app can overwrite
     * @param keypad the keypad, see {@link KeyPadCoordinatesResponse#keypad}
     * @return the index of each digit, counted from 0; null if the PIN is empty or a digit is not on the keypad
     */
    public static List<Integer> indexes(char[] pin, List<String> keypad) {
        return find(CharBuffer.wrap(pin), keypad);
    }

    private static List<Integer> find(CharSequence pin, List<String> keypad) {
        List<Integer> indexes = new ArrayList<>();
        for (int position = 0; position < pin.length(); position++) {
            int index = keypad.indexOf(String.valueOf(pin.charAt(position)));
            if (index < 0) return null;
            indexes.add(index);
        }
        return indexes.isEmpty() ? null : indexes;
    }

    /** Whether the keypad has each digit exactly once and nothing else. Null is an empty place. */
    static boolean isComplete(List<String> keypad) {
        int count = 0;
        for (String place : keypad) {
            if (place == null) continue;
            if (place.length() != 1 || place.charAt(0) < '0' || place.charAt(0) > '9') return false;
            count++;
        }
        for (char digit = '0'; digit <= '9'; digit++) {
            if (!keypad.contains(String.valueOf(digit))) return false;
        }
        return count == 10;
    }
}
