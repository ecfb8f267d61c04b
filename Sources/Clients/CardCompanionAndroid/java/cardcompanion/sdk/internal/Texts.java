package cardcompanion.sdk.internal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Texts and their bytes. */
public final class Texts {
    private Texts() {}

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Null if the bytes are not well-formed UTF-8. */
    public static String fromUtf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT).onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException error) {
            return null;
        }
    }

    /** Whether the text can be sent as it is. Half of a surrogate pair cannot be written in UTF-8. */
    public static boolean isWellFormed(String text) {
        for (int index = 0; index < text.length(); index++) {
            if (!Character.isSurrogate(text.charAt(index))) continue;
            if (index + 1 == text.length() || !Character.isSurrogatePair(text.charAt(index), text.charAt(index + 1))) {
                return false;
            }
            index++;
        }
        return true;
    }

    /** Whether there is at least one character, and each is one of 0 to 9. */
    public static boolean isDigits(CharSequence text) {
        for (int index = 0; index < text.length(); index++) {
            if (text.charAt(index) < '0' || text.charAt(index) > '9') return false;
        }
        return text.length() > 0;
    }
}
