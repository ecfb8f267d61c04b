package android.content.res;

import java.io.IOException;
import java.io.InputStream;

/** A stand-in for Android's class, with what the sample app calls. */
public final class AssetManager {
    private AssetManager() {}

    public InputStream open(String name) throws IOException { throw new IOException(name); }
}
