package cardcompanion.sdk.internal;

/** Hexadecimal text, two digits for each byte. */
public final class Hex {
    private static final String DIGITS = "0123456789abcdef";

    private Hex() {}

    /** In lower case. */
    public static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte octet : bytes) text.append(DIGITS.charAt(octet >> 4 & 15)).append(DIGITS.charAt(octet & 15));
        return text.toString();
    }

    /** Takes digits of both cases. Null if there is another character or an odd number of digits. */
    public static byte[] decode(String text) {
        if (text.length() % 2 != 0) return null;
        byte[] bytes = new byte[text.length() / 2];
        for (int index = 0; index < bytes.length; index++) {
            int high = digit(text.charAt(2 * index));
            int low = digit(text.charAt(2 * index + 1));
            if (high < 0 || low < 0) return null;
            bytes[index] = (byte) (high << 4 | low);
        }
        return bytes;
    }

    /** -1 if the character is no digit. */
    static int digit(char character) {
        return character < 128 ? Character.digit(character, 16) : -1;
    }
}
