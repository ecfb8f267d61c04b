internal import CardCompanionStore
internal import KeyVault
internal import Synchronization

/// The banks that requests name, kept ready so that a request needs no round trip to learn of its bank.
///
/// A bank that was kept may be old, so that neither answer is given on its word alone: a caller that was let in is
/// checked again by the statement that serves it, which compares the revision; a caller that was refused is refused
/// only after the revision was compared here.
final class BankDirectory: Sendable {
    /// How many banks are kept; beyond it all are forgotten, and the busy ones are soon back.
    static let capacity = 1_000

    private let store: Store
    private let keyring: Keyring
    private let kept = Mutex<[String: Bank]>([:])

    init(store: Store, keyring: Keyring) {
        self.store = store
        self.keyring = keyring
    }

    /// Judges a request with the bank that it names.
    ///
    /// - Parameter judge: refuses by throwing; nil is a bank that does not exist.
    /// - Returns: what `judge` returns. The bank may be outdated: pass its revision to the store, and where the store
    ///   says so, ``forget(_:)`` it and judge again.
    func judge<Judgement>(
        _ bankId: String, _ judge: (Bank?) throws -> Judgement
    ) async throws -> Judgement {
        if let bank = kept.withLock({ $0[bankId] }) {
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

    /// Forgets a bank that the store has found outdated.
    func forget(_ bankId: String) {
        kept.withLock { _ = $0.removeValue(forKey: bankId) }
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
            kept[bankId] = bank
        }
        return bank
    }
}
