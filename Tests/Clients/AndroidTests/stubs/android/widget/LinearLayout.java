package android.widget;

import android.content.Context;
import android.view.ViewGroup;

/** A stand-in for Android's class, with what the sample app calls. */
public class LinearLayout extends ViewGroup {
    public LinearLayout(Context context) {
        super(context);
    }

    public static final int VERTICAL = 1;

    public static class LayoutParams extends ViewGroup.LayoutParams {
        public LayoutParams(int width, int height, float weight) {}
    }

    public void setOrientation(int orientation) {}
}
