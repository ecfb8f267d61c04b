package android.widget;

import android.content.Context;
import android.view.View;

/** A stand-in for Android's class, with what the sample app calls. */
public class TextView extends View {
    public TextView(Context context) {
        super(context);
    }

    public final void setText(CharSequence text) {}

    public final void setText(int id) {}

    public final void setHint(int id) {}

    public void setTextSize(float size) {}

    public void setInputType(int type) {}
}
