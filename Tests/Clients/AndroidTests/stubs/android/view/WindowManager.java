package android.view;

/** A stand-in for Android's class, with what the sample app calls. */
public interface WindowManager {
    class LayoutParams {
        public static final int FLAG_SECURE = 8192;
    }
}
