package android.graphics;

/** A stand-in for Android's class, with what the sample app calls. */
public final class Bitmap {
    private Bitmap() {}
}
