internal import Crypto

/// The notify keys of unconfirmed deliveries, by session.
///
/// The store removes a key when the server has recorded the session's result, after 24 hours, or when there are too many
/// keys. swift-crypto wipes removed keys.
actor NotifyKeyStore {
    /// The longest session that a bank can have on the server. The SDK does not know the bank's setting, so it keeps every
    /// key that long, and the server decides whether the session has expired.
    static let lifetimeSeconds = 86_400.0
    static let maximumCount = 64

    private struct Entry {
        let key: SymmetricKey
        let end: MonotonicTime
    }

    private var entries: [String: Entry] = [:]
    private let now: @Sendable () -> MonotonicTime

    init(now: @escaping @Sendable () -> MonotonicTime) {
        self.now = now
    }

    func keep(_ key: SymmetricKey, forSession sessionId: String) {
        removeEnded()
        entries[sessionId] = Entry(key: key, end: now() + Self.lifetimeSeconds)
        if entries.count > Self.maximumCount, let oldest = entries.min(by: { $0.value.end < $1.value.end }) {
            entries[oldest.key] = nil
        }
    }

    func key(forSession sessionId: String) -> SymmetricKey? {
        removeEnded()
        return entries[sessionId]?.key
    }

    func forget(session sessionId: String) {
        entries[sessionId] = nil
    }

    private func removeEnded() {
        let now = now()
        entries = entries.filter { $0.value.end > now }
    }
}
