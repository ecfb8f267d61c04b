internal import CardCompanionAPI

/// The keypads that cardholders were given last, so that a definition can name its keypad although the SDK document's
/// functions have no parameter for it (protocol, section 2.7).
actor KeypadMemory {
    /// How long the server takes indexes on a keypad.
    static let lifetimeSeconds = 300.0
    static let maximumCount = 64

    struct Holder: Hashable {
        let bankId: String
        let uniqueId: String
    }

    private struct Entry {
        let holder: Holder
        /// How many requests for a keypad have no answer yet.
        var waiting = 0
        /// Whether one of the requests that overlap now was answered with a keypad.
        var hasNewKeypad = false
        /// The newest keypad. Several if their requests overlapped: then it is unknown which one the cardholder sees.
        var keypadIds: [String] = []
        var end: MonotonicTime
    }

    /// The one that was used last is the last.
    private var entries: [Entry] = []
    private let now: @Sendable () -> MonotonicTime

    init(now: @escaping @Sendable () -> MonotonicTime) {
        self.now = now
    }

    /// Runs a request for a keypad, and remembers the keypad.
    func remember(
        for holder: Holder, _ request: @Sendable () async throws(SDKError) -> KeyPadCoordinatesResponse
    ) async throws(SDKError) -> KeyPadCoordinatesResponse {
        change(holder) { entry in
            if entry.waiting == 0 { entry.hasNewKeypad = false }
            entry.waiting += 1
        }
        defer { change(holder) { $0.waiting -= 1 } }
        let response = try await request()
        guard let keypadId = response.keypadId else { return response }
        let end = now() + Self.lifetimeSeconds
        change(holder) { entry in
            entry.keypadIds = entry.hasNewKeypad ? entry.keypadIds + [keypadId] : [keypadId]
            entry.hasNewKeypad = true
            entry.end = end
        }
        return response
    }

    /// The keypad that the cardholder sees; nil if there is none.
    ///
    /// - Throws: 90000 if two requests for a keypad overlapped, because it is unknown which one the cardholder sees.
    func newest(for holder: Holder) throws(SDKError) -> String? {
        guard let entry = entries.first(where: { $0.holder == holder }), entry.end > now() else { return nil }
        guard entry.keypadIds.count <= 1 else {
            throw SDKError(
                .invalidInput,
                "keypads were requested at the same time: pass keypadId, or request one keypad and show that one")
        }
        return entry.keypadIds.first
    }

    /// Forgets a keypad that has served. A newer one stays.
    func forget(_ keypadId: String?, of holder: Holder) {
        guard let keypadId, entries.contains(where: { $0.holder == holder && $0.keypadIds == [keypadId] }) else {
            return
        }
        forget(holder)
    }

    func forget(_ holder: Holder) {
        guard entries.contains(where: { $0.holder == holder }) else { return }
        change(holder) { $0.keypadIds = [] }
    }

    private func change(_ holder: Holder, _ change: (inout Entry) -> Void) {
        let index = entries.firstIndex { $0.holder == holder }
        var entry = index.map { entries.remove(at: $0) } ?? Entry(holder: holder, end: now())
        change(&entry)
        entries.append(entry)
        let time = now()
        entries.removeAll { $0.waiting == 0 && $0.end <= time }
        if entries.count > Self.maximumCount, let oldest = entries.firstIndex(where: { $0.waiting == 0 }) {
            entries.remove(at: oldest)
        }
    }
}
