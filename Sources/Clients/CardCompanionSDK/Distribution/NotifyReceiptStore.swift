/// Where a session keeps its notify receipts, so that an app can still notify the server after it was closed.
///
/// A receipt contains the notify key: whoever has it can confirm the delivery, but cannot see the PIN. A session saves it when a
/// PIN was fetched, reads it for a notify, and removes it when the server has recorded the result.
public protocol NotifyReceiptStore: Sendable {
    /// Saves the receipt of a session.
    func save(_ receipt: String, forSession sessionId: String)
    /// The receipt of a session; nil if there is none.
    func receipt(forSession sessionId: String) -> String?
    /// Removes the receipt of a session.
    func remove(forSession sessionId: String)
}
