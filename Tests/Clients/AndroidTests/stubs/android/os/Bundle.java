package android.os;

/** A stand-in for Android's class, with what the sample app calls. */
public class Bundle {
}
