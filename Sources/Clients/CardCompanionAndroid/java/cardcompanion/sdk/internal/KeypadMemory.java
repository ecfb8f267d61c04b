package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The keypad that each cardholder was given last, so that a definition can name it although the SDK document's
 * functions have no parameter for it.
 */
public final class KeypadMemory {
    /** How long the server takes indexes on a keypad. */
    public static final long LIFETIME_SECONDS = 300;
    public static final int MAXIMUM_COUNT = 64;

    /** What is known of one cardholder. */
    private static final class Entry {
        /** How many requests for a keypad have no answer yet. */
        int waiting;
        /** Whether one of the requests that overlap now was answered with a keypad. */
        boolean hasNewKeypad;
        /** The newest keypad. Several if their requests overlapped: nobody knows which one the cardholder sees. */
        final List<String> keypadIds = new ArrayList<>();
        long end;
    }

    /** The one that was given a keypad last is the last. */
    private final Map<List<String>, Entry> entries = new LinkedHashMap<>();
    private final LongSupplier nowSeconds;

    public KeypadMemory(LongSupplier nowSeconds) {
        this.nowSeconds = nowSeconds;
    }

    /** A request begins. Each that begins must end. */
    public synchronized void begin(String bankId, String uniqueId) {
        Entry entry = entries.computeIfAbsent(Arrays.asList(bankId, uniqueId), cardholder -> new Entry());
        if (entry.waiting == 0) entry.hasNewKeypad = false;
        entry.waiting++;
    }

    /** @param keypadId what was handed out; null if the request failed */
    public synchronized void end(String bankId, String uniqueId, String keypadId) {
        List<String> cardholder = Arrays.asList(bankId, uniqueId);
        Entry entry = entries.remove(cardholder);
        entry.waiting--;
        if (keypadId != null) {
            if (!entry.hasNewKeypad) entry.keypadIds.clear();
            entry.keypadIds.add(keypadId);
            entry.hasNewKeypad = true;
            entry.end = nowSeconds.getAsLong() + LIFETIME_SECONDS;
        }
        entries.put(cardholder, entry);
        removeUnneeded();
    }

    /**
     * The keypad that the cardholder sees; null if there is none.
     *
     * @throws LibraryException 90000 if requests overlapped: nobody can know which keypad the cardholder sees
     */
    public synchronized String newest(String bankId, String uniqueId) throws LibraryException {
        Entry entry = entries.get(Arrays.asList(bankId, uniqueId));
        if (entry == null || entry.end <= nowSeconds.getAsLong() || entry.keypadIds.isEmpty()) return null;
        if (entry.keypadIds.size() > 1) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT,
                "several keypads were asked for at the same time: pass keypadId, or ask for one keypad alone");
        }
        return entry.keypadIds.get(0);
    }

    /** Forgets a keypad that has served. A newer one stays. */
    public synchronized void forget(String bankId, String uniqueId, String keypadId) {
        Entry entry = entries.get(Arrays.asList(bankId, uniqueId));
        if (entry == null || entry.keypadIds.size() != 1) return;
        if (entry.keypadIds.get(0).equals(keypadId)) entry.keypadIds.clear();
    }

    public synchronized void forgetAll(String bankId, String uniqueId) {
        Entry entry = entries.get(Arrays.asList(bankId, uniqueId));
        if (entry != null) entry.keypadIds.clear();
    }

    private void removeUnneeded() {
        long now = nowSeconds.getAsLong();
        Iterator<Entry> oldest = entries.values().iterator();
        while (oldest.hasNext()) {
            Entry entry = oldest.next();
            if (entry.waiting == 0 && (entry.end <= now || entries.size() > MAXIMUM_COUNT)) oldest.remove();
        }
    }
}
