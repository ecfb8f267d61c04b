package android.widget;

import android.content.Context;

/** A stand-in for Android's class, with what the sample app calls. */
public class Button extends TextView {
    public Button(Context context) {
        super(context);
    }
}
