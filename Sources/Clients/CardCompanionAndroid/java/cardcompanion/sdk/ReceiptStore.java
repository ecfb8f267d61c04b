package cardcompanion.sdk;

/**
 * Where a session keeps the receipts of its fetches, so that a notify works after the app was closed: see {@link
 * CardCompanionSession#setReceiptStore}. {@link FileReceiptStore} keeps them in a file. The session calls a store
 * from the threads of the operations; a store that throws loses receipts, but no operation fails by it.
 *
 * <p>Whoever reads a receipt can confirm that delivery, but cannot see the PIN.
 */
public interface ReceiptStore {
    /**
     * Keeps a receipt, in place of an older one of the session.
     *
     * @param sessionId the fetch's session
     * @param receipt what {@link ProvisioningResponse#notifyReceipt} is
     */
    void put(String sessionId, String receipt);

    /**
     * Finds a receipt.
     *
     * @param sessionId the fetch's session
     * @return the receipt, or null
     */
    String get(String sessionId);

    /**
     * Deletes a receipt: the server has recorded the session's result.
     *
     * @param sessionId the fetch's session
     */
    void remove(String sessionId);
}
