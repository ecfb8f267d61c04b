package android.os;

/** A stand-in for Android's class, with what the sample app calls. */
public final class Looper {
    private Looper() {}

    public static Looper getMainLooper() { throw new UnsupportedOperationException(); }
}
