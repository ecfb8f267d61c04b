package android.text;

/** A stand-in for Android's class, with what the sample app calls. */
public interface Editable extends CharSequence {
    void getChars(int start, int end, char[] target, int targetStart);

    void clear();
}
