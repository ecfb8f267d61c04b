public import CardCompanionStore
public import KeyVault
internal import Synchronization

/// The banks that requests name, kept ready so that a request needs no round trip to learn of its bank.
///
/// A bank that was kept may be old, so that neither answer is given on its word alone: a caller that was let in is
/// checked again by the statement that serves it, which compares the revision; a caller that was refused is refused
/// only after the revision was compared here.
public final class BankDirectory: Sendable {
    /// How many banks are kept; beyond it all are forgotten, and the busy ones are soon back.
    static let capacity = 1_000
    /// How often a request is judged again because its bank has just been changed.
    static let judgementLimit = 4

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock
    private let kept = Mutex<[ExactText: Bank]>([:])

    /// An empty directory of the banks in a store.
    public init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Judges a request with the bank that it names, and serves it; again, where the bank has changed in between.
    ///
    /// - Parameters:
    ///   - judge: refuses by throwing; a nil bank is one that does not exist.
    ///   - serve: returns nil where the store has found the bank outdated, and nothing was done.
    func whileCurrent<Result>(
        _ bankId: String, judge: (Bank?, Timestamp) throws -> Bank, serve: (Bank, Timestamp) async throws -> Result?
    ) async throws -> Result {
        for _ in 0..<Self.judgementLimit {
            let now = clock.now()
            let bank = try await self.judge(bankId) { try judge($0, now) }
            if let result = try await serve(bank, now) { return result }
            forget(bankId)
        }
        throw ServiceUnavailable("bank \(bankId) is being changed")
    }

    private func judge(_ bankId: String, _ judge: (Bank?) throws -> Bank) async throws -> Bank {
        if let bank = kept.withLock({ $0[ExactText(bankId)] }) {
            do {
                return try judge(bank)
            } catch {
                let isCurrent = try await store.reaching {
                    try await $0.isCurrent(bankId: bankId, revision: bank.revision)
                }
                if isCurrent { throw error }
            }
        }
        return try judge(try await load(bankId))
    }

    private func forget(_ bankId: String) {
        kept.withLock { _ = $0.removeValue(forKey: ExactText(bankId)) }
    }

    private func load(_ bankId: String) async throws -> Bank? {
        let found = try await store.reaching { try await $0.bankWithKeys(id: bankId) }
        guard let (record, keys, certificates) = found else {
            forget(bankId)
            return nil
        }
        let bank = try Bank(record, keys: keys, certificates: certificates, keyring: keyring)
        kept.withLock { kept in
            if kept.count >= Self.capacity { kept.removeAll(keepingCapacity: true) }
            kept[ExactText(bankId)] = bank
        }
        return bank
    }
}
