package android.widget;

import android.content.Context;
import android.text.Editable;

/** A stand-in for Android's class, with what the sample app calls. */
public class EditText extends TextView {
    public EditText(Context context) {
        super(context);
    }

    public Editable getText() { throw new UnsupportedOperationException(); }
}
