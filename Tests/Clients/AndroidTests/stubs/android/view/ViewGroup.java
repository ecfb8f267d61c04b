package android.view;

import android.content.Context;

/** A stand-in for Android's class, with what the sample app calls. */
public abstract class ViewGroup extends View {
    public ViewGroup(Context context) {
        super(context);
    }

    public static class LayoutParams {
        public static final int WRAP_CONTENT = -2;
    }

    public void addView(View view) {}

    public void addView(View view, LayoutParams parameters) {}

    public void removeAllViews() {}
}
