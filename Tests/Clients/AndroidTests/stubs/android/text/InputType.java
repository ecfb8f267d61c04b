package android.text;

/** A stand-in for Android's class, with what the sample app calls. */
public interface InputType {
    int TYPE_CLASS_TEXT = 1;
    int TYPE_CLASS_NUMBER = 2;
    int TYPE_NUMBER_VARIATION_PASSWORD = 16;
    int TYPE_TEXT_VARIATION_URI = 16;
    int TYPE_TEXT_VARIATION_PASSWORD = 128;
    int TYPE_TEXT_FLAG_NO_SUGGESTIONS = 524288;
}
