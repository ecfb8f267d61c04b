package android.app;

import android.content.Context;
import android.os.Bundle;
import android.view.View;
import android.view.Window;

/** A stand-in for Android's class, with what the sample app calls. */
public class Activity extends Context {
    protected void onCreate(Bundle state) {}

    protected void onStop() {}

    public Window getWindow() { throw new UnsupportedOperationException(); }

    public void setContentView(View view) {}
}
