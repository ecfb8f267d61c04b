internal import CardCompanionAPI

/// The keypads that cardholders were given since their last definition, so that a definition can name its keypad although
/// the SDK document's functions have no parameter for it.
actor KeypadMemory {
    /// How long the server takes indexes on a keypad.
    static let lifetimeSeconds = 300.0
    static let maximumCount = 64

    private struct Holder: Hashable {
        let bankId: String
        let uniqueId: String
    }

    private struct Entry {
        let holder: Holder
        let keypadId: String
        let end: MonotonicTime
    }

    private var entries: [Entry] = []
    private let now: @Sendable () -> MonotonicTime

    init(now: @escaping @Sendable () -> MonotonicTime) {
        self.now = now
    }

    func keep(_ keypadId: String, bankId: String, uniqueId: String) {
        removeEnded()
        let holder = Holder(bankId: bankId, uniqueId: uniqueId)
        entries.append(Entry(holder: holder, keypadId: keypadId, end: now() + Self.lifetimeSeconds))
        entries = entries.suffix(Self.maximumCount)
    }

    /// The keypad that the cardholder has seen; nil if there is none.
    ///
    /// - Throws: 90000 if there are several: the SDK cannot know which of them the cardholder used.
    func onlyKeypad(bankId: String, uniqueId: String) throws(SDKError) -> String? {
        removeEnded()
        let holder = Holder(bankId: bankId, uniqueId: uniqueId)
        let keypads = entries.filter { $0.holder == holder }
        guard keypads.count <= 1 else {
            throw SDKError(
                .invalidInput,
                "\(keypads.count) keypads were fetched: pass keypadId, or call discardKeypads and fetch a new keypad")
        }
        return keypads.first?.keypadId
    }

    func forget(bankId: String, uniqueId: String) {
        let holder = Holder(bankId: bankId, uniqueId: uniqueId)
        entries.removeAll { $0.holder == holder }
    }

    private func removeEnded() {
        let now = now()
        entries.removeAll { $0.end <= now }
    }
}
