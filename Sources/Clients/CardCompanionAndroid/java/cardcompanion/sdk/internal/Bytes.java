package cardcompanion.sdk.internal;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Arrays of bytes. */
public final class Bytes {
    private Bytes() {}

    public static byte[] concatenated(byte[]... parts) {
        int count = 0;
        for (byte[] part : parts) count += part.length;
        byte[] bytes = new byte[count];
        int offset = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, bytes, offset, part.length);
            offset += part.length;
        }
        return bytes;
    }

    public static byte[] bigEndian(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** Overwrites secrets that were used. Arrays may be null. */
    public static void wipe(byte[]... arrays) {
        for (byte[] array : arrays) {
            if (array != null) Arrays.fill(array, (byte) 0);
        }
    }
}
