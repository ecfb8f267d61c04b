package cardcompanion.sdk;

import cardcompanion.sdk.internal.NotifyKeys;
import cardcompanion.sdk.internal.NotifyReceipt;

/** The notify keys of a session: in memory, and in the app's store if it has one. */
final class Receipts {
    private final NotifyKeys keys;
    private volatile ReceiptStore store;

    Receipts(NotifyKeys keys) {
        this.keys = keys;
    }

    void setStore(ReceiptStore store) {
        this.store = store;
    }

    /** Keeps the key, and returns its receipt. */
    String keep(String sessionId, byte[] key) {
        keys.keep(sessionId, key);
        String receipt = NotifyReceipt.text(sessionId, key);
        ReceiptStore store = this.store;
        if (store != null) quietly(() -> store.put(sessionId, receipt));
        return receipt;
    }

    /** Brings back a key that the app has stored itself. */
    boolean restore(String text) {
        NotifyReceipt receipt = NotifyReceipt.parse(text);
        if (receipt == null) return false;
        keys.keep(receipt.sessionId, receipt.key);
        return true;
    }

    /** A copy of the key. Null if there is none. */
    byte[] key(String sessionId) {
        byte[] key = keys.key(sessionId);
        return key != null ? key : storedKey(sessionId);
    }

    private byte[] storedKey(String sessionId) {
        ReceiptStore store = this.store;
        if (store == null) return null;
        try {
            NotifyReceipt receipt = NotifyReceipt.parse(store.get(sessionId));
            return receipt != null && receipt.sessionId.equals(sessionId) ? receipt.key : null;
        } catch (RuntimeException error) {
            return null;
        }
    }

    void forget(String sessionId) {
        keys.forget(sessionId);
        ReceiptStore store = this.store;
        if (store != null) quietly(() -> store.remove(sessionId));
    }

    /** The PIN was delivered, or the notify was recorded: a store that fails does not change that. */
    private static void quietly(Runnable change) {
        try {
            change.run();
        } catch (RuntimeException error) {
            // The receipt is lost, or is removed when it is too old.
        }
    }
}
