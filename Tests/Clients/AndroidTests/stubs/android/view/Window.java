package android.view;

/** A stand-in for Android's class, with what the sample app calls. */
public abstract class Window {
    public void addFlags(int flags) {}
}
