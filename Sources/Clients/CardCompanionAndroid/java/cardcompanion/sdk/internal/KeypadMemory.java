package cardcompanion.sdk.internal;

import cardcompanion.sdk.LibraryCode;
import java.util.ArrayList;
import java.util.Arrays;
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

    /** A request for a keypad that is under way. */
    public static final class Request {
        private final List<String> cardholder;
        private boolean hasOverlapped;

        private Request(List<String> cardholder) {
            this.cardholder = cardholder;
        }
    }

    private static final class Entry {
        /** Null if requests overlapped, so that nobody knows which keypad the cardholder sees. */
        final String keypadId;
        final long end;

        Entry(String keypadId, long end) {
            this.keypadId = keypadId;
            this.end = end;
        }
    }

    private final Map<List<String>, Entry> entries = new LinkedHashMap<>();
    private final List<Request> underWay = new ArrayList<>();
    private final LongSupplier nowSeconds;

    public KeypadMemory(LongSupplier nowSeconds) {
        this.nowSeconds = nowSeconds;
    }

    /** Each request that begins must end. */
    public synchronized Request begin(String bankId, String uniqueId) {
        Request request = new Request(Arrays.asList(bankId, uniqueId));
        for (Request other : underWay) {
            if (!other.cardholder.equals(request.cardholder)) continue;
            other.hasOverlapped = true;
            request.hasOverlapped = true;
        }
        underWay.add(request);
        return request;
    }

    /** @param keypadId what was handed out; null if the request failed */
    public synchronized void end(Request request, String keypadId) {
        underWay.remove(request);
        if (keypadId == null) return;
        entries.remove(request.cardholder);
        long end = nowSeconds.getAsLong() + LIFETIME_SECONDS;
        entries.put(request.cardholder, new Entry(request.hasOverlapped ? null : keypadId, end));
        removeEnded();
    }

    /**
     * The keypad that the cardholder has seen; null if there is none.
     *
     * @throws LibraryException 90000 if requests overlapped: nobody can know which keypad the cardholder used
     */
    public synchronized String newest(String bankId, String uniqueId) throws LibraryException {
        removeEnded();
        Entry entry = entries.get(Arrays.asList(bankId, uniqueId));
        if (entry == null) return null;
        if (entry.keypadId == null) {
            throw new LibraryException(
                LibraryCode.INVALID_INPUT,
                "several keypads were asked for at the same time: pass keypadId, or ask for one keypad alone");
        }
        return entry.keypadId;
    }

    /** Forgets a keypad that was used, unless there is a newer one. */
    public synchronized void forget(String bankId, String uniqueId, String keypadId) {
        Entry entry = entries.get(Arrays.asList(bankId, uniqueId));
        if (entry != null && keypadId.equals(entry.keypadId)) forgetAll(bankId, uniqueId);
    }

    public synchronized void forgetAll(String bankId, String uniqueId) {
        entries.remove(Arrays.asList(bankId, uniqueId));
    }

    /** They are in the order of their ends. */
    private void removeEnded() {
        while (!entries.isEmpty()) {
            Map.Entry<List<String>, Entry> oldest = entries.entrySet().iterator().next();
            if (oldest.getValue().end > nowSeconds.getAsLong() && entries.size() <= MAXIMUM_COUNT) return;
            entries.remove(oldest.getKey());
        }
    }
}
