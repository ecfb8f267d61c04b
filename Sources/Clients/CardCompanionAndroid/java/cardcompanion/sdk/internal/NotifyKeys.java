package cardcompanion.sdk.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The notify keys of unconfirmed deliveries, by session. A key is removed when the server has recorded the session's
 * result, after 24 hours, or when there are too many keys; then it is wiped.
 */
public final class NotifyKeys {
    /**
     * The longest session that a bank can have on the server. The library does not know the bank's setting, so it keeps
     * every key that long, and the server judges whether the session is over.
     */
    public static final long LIFETIME_SECONDS = 24 * 3600;
    public static final int MAXIMUM_COUNT = 64;

    private static final class Entry {
        final byte[] key;
        final long end;

        Entry(byte[] key, long end) {
            this.key = key;
            this.end = end;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final LongSupplier nowSeconds;

    public NotifyKeys(LongSupplier nowSeconds) {
        this.nowSeconds = nowSeconds;
    }

    public synchronized void keep(String sessionId, byte[] key) {
        forget(sessionId);
        entries.put(sessionId, new Entry(key.clone(), nowSeconds.getAsLong() + LIFETIME_SECONDS));
        removeEnded();
    }

    /** A copy of the key, which the caller wipes. Null if there is none. */
    public synchronized byte[] key(String sessionId) {
        removeEnded();
        Entry entry = entries.get(sessionId);
        return entry == null ? null : entry.key.clone();
    }

    public synchronized void forget(String sessionId) {
        Entry entry = entries.remove(sessionId);
        if (entry != null) Bytes.wipe(entry.key);
    }

    /** They are in the order of their ends. */
    private void removeEnded() {
        Iterator<Entry> oldestFirst = entries.values().iterator();
        while (oldestFirst.hasNext()) {
            Entry entry = oldestFirst.next();
            if (entry.end > nowSeconds.getAsLong() && entries.size() <= MAXIMUM_COUNT) return;
            oldestFirst.remove();
            Bytes.wipe(entry.key);
        }
    }
}
