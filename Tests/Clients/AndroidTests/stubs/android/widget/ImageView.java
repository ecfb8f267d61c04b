package android.widget;

import android.content.Context;
import android.graphics.Bitmap;
import android.view.View;

/** A stand-in for Android's class, with what the sample app calls. */
public class ImageView extends View {
    public ImageView(Context context) {
        super(context);
    }

    public void setImageBitmap(Bitmap bitmap) {}

    public void setAdjustViewBounds(boolean adjusts) {}
}
