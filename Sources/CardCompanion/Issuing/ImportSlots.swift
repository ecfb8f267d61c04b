internal import Synchronization

/// How many imports a server has under way at once, so that cardholders are still served.
public final class ImportSlots: Sendable {
    /// How many in all.
    public static let limit = 4
    /// How many of one bank.
    public static let bankLimit = 2
    /// When one that was turned away may come again.
    public static let retryAfterSeconds = 30

    /// One import's place; it is free again when nobody holds it any more.
    public final class Slot: Sendable {
        private let slots: ImportSlots
        private let bankId: String

        fileprivate init(_ slots: ImportSlots, _ bankId: String) {
            self.slots = slots
            self.bankId = bankId
        }

        deinit {
            slots.release(bankId)
        }
    }

    private let taken = Mutex<[ExactText: Int]>([:])

    /// All of them free.
    public init() {}

    /// A place for an import of a bank; nil where all are taken.
    public func slot(for bankId: String) -> Slot? {
        let isFree = taken.withLock { taken in
            let count = taken[ExactText(bankId)] ?? 0
            guard count < Self.bankLimit, taken.values.reduce(0, +) < Self.limit else { return false }
            taken[ExactText(bankId)] = count + 1
            return true
        }
        return isFree ? Slot(self, bankId) : nil
    }

    private func release(_ bankId: String) {
        taken.withLock { taken in
            let count = (taken[ExactText(bankId)] ?? 1) - 1
            taken[ExactText(bankId)] = count == 0 ? nil : count
        }
    }
}
