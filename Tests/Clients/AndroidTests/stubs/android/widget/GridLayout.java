package android.widget;

import android.content.Context;
import android.view.ViewGroup;

/** A stand-in for Android's class, with what the sample app calls. */
public class GridLayout extends ViewGroup {
    public GridLayout(Context context) {
        super(context);
    }

    public void setColumnCount(int count) {}
}
