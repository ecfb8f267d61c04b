package android.content;

import android.content.res.AssetManager;
import java.io.File;

/** A stand-in for Android's class, with what the sample app calls. */
public abstract class Context {
    public Context getApplicationContext() { throw new UnsupportedOperationException(); }

    public File getNoBackupFilesDir() { throw new UnsupportedOperationException(); }

    public AssetManager getAssets() { throw new UnsupportedOperationException(); }

    public final String getString(int id) { throw new UnsupportedOperationException(); }
}
