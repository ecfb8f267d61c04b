package android.view;

import android.content.Context;

/** A stand-in for Android's class, with what the sample app calls. */
public class View {
    public static final int IMPORTANT_FOR_AUTOFILL_NO = 2;

    public View(Context context) {}

    public interface OnClickListener {
        void onClick(View view);
    }

    public void setOnClickListener(OnClickListener listener) {}

    public void setFilterTouchesWhenObscured(boolean filters) {}

    public void setSaveEnabled(boolean isEnabled) {}

    public void setImportantForAutofill(int mode) {}

    public void setFitsSystemWindows(boolean fits) {}

    public void setContentDescription(CharSequence description) {}
}
