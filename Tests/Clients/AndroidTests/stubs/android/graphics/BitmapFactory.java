package android.graphics;

/** A stand-in for Android's class, with what the sample app calls. */
public class BitmapFactory {
    public static Bitmap decodeByteArray(byte[] data, int offset, int length) { return null; }
}
