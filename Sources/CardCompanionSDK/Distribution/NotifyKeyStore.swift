internal import Crypto

/// The notify keys of deliveries that the app has yet to confirm, by session.
///
/// A key goes when the server has decided its session, when the server's own memory of the session is over, or when
/// there are too many; swift-crypto wipes it then.
actor NotifyKeyStore {
    static let lifetime = Duration.seconds(15 * 60)
    static let maximumCount = 64

    private struct Entry {
        let key: SymmetricKey
        let end: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    func keep(_ key: SymmetricKey, forSession sessionId: String) {
        removeEnded()
        entries[sessionId] = Entry(key: key, end: now() + Self.lifetime)
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
