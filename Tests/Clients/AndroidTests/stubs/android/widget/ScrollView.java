package android.widget;

import android.content.Context;
import android.view.ViewGroup;

/** A stand-in for Android's class, with what the sample app calls. */
public class ScrollView extends ViewGroup {
    public ScrollView(Context context) {
        super(context);
    }
}
