package android.os;

/** A stand-in for Android's class, with what the sample app calls. */
public class Handler {
    public Handler(Looper looper) {}

    public final boolean post(Runnable work) { throw new UnsupportedOperationException(); }

    public final boolean postDelayed(Runnable work, long milliseconds) { throw new UnsupportedOperationException(); }
}
