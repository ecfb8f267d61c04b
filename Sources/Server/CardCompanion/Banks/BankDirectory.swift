internal import CardCompanionModel
package import CardCompanionStore
package import KeyVault
internal import Synchronization

/// The banks that requests name, kept in memory, so that a request needs no round trip to read its bank.
///
/// A bank in memory can be out of date, so no decision relies on it alone. A refusal is final only after the bank's revision
/// was compared with the database. An accepted request is served by a statement that compares the revision again. Only if
/// very many callers of a bank are refused, further refusals are final without a comparison.
package final class BankDirectory: Sendable {
    /// How many banks are kept. When there are more, all are dropped, and the busy ones are soon loaded again.
    static let capacity = 1_000
    /// How often one request is authenticated again because its bank has just changed.
    static let attemptLimit = 4

    private let store: Store
    private let keyring: Keyring
    private let countedObjects: CountedObjects
    private let clock: WallClock
    private let kept = Mutex<[Identifier: Kept]>([:])
    /// Advances when all banks are forgotten: a bank that was being loaded meanwhile is not kept.
    private let generation = Mutex(0)
    private let unknown: LookUpLimit

    /// How often a bank's revision is compared because callers are refused.
    static let comparisonRate = TokenBucket.Rate(perSecond: 20, burst: 200)

    private struct Kept {
        let bank: Bank
        var comparisons = TokenBucket(comparisonRate, at: .now)
    }

    /// - Parameter lookUps: the limit on look-ups of unknown banks.
    package init(
        store: Store, keyring: Keyring, countedObjects: CountedObjects, clock: WallClock,
        lookUps: TokenBucket.Rate = .usualLookUps
    ) {
        unknown = LookUpLimit(lookUps)
        self.store = store
        self.keyring = keyring
        self.countedObjects = countedObjects
        self.clock = clock
    }

    /// Authenticates a request with the bank that it names, and serves it. If the bank has changed in between, it starts
    /// again.
    ///
    /// - Parameters:
    ///   - bankId: nil if the request's bankId cannot be a bank's.
    ///   - authenticate: refuses by throwing. It gets nil if there is no such bank.
    ///   - serve: what the request asks for.
    /// - Throws: ``RefusedCaller`` with the error of `authenticate`, or with ``ServiceUnavailable`` if too many unknown banks
    ///   were named; the errors of `serve`, ``Overloaded``, ``ServiceUnavailable``, `StoreError`.
    func whileCurrent<Caller, Result>(
        _ bankId: Identifier?, authenticate: (Bank?, Timestamp) throws -> Caller,
        serve: (Caller) async throws -> Served<Result>
    ) async throws -> Result {
        if let bankId { try RequestPlace.requireRoom(of: bankId) }
        for _ in 0..<Self.attemptLimit {
            let now = clock.now()
            let caller = try await self.authenticate(bankId) { bank throws(RefusedCaller) in
                do {
                    return try authenticate(bank, now)
                } catch {
                    throw RefusedCaller(reason: error)
                }
            }
            if case .done(let result) = try await serve(caller) { return result }
            if let bankId { forget(bankId) }
        }
        throw ServiceUnavailable("the bank is being changed")
    }

    private func authenticate<Caller>(
        _ bankId: Identifier?, _ authenticate: (Bank?) throws(RefusedCaller) -> Caller
    ) async throws -> Caller {
        guard let bankId else { return try authenticate(nil) }
        guard let bank = kept.withLock({ $0[bankId]?.bank }) else {
            return try authenticate(try await unknown.find("banks") { try await load(bankId) })
        }
        do {
            return try authenticate(bank)
        } catch {
            let mayCompare = kept.withLock { $0[bankId]?.comparisons.take(at: .now) ?? true }
            guard mayCompare else { throw error }
            if try await store.isCurrent(bankId: bankId, revision: bank.revision) { throw error }
        }
        return try authenticate(try await load(bankId))
    }

    /// Wipes the keys of all banks, when the vault is lost.
    package func forgetAll() {
        generation.withLock { $0 += 1 }
        kept.withLock { $0.removeAll() }
    }

    private func forget(_ bankId: Identifier) {
        kept.withLock { _ = $0.removeValue(forKey: bankId) }
    }

    /// The bank exists, but is ignored: its callers must not use up the limit on look-ups of unknown banks.
    private func ignored(_ bankId: Identifier) -> Bank? {
        unknown.putBack()
        forget(bankId)
        return nil
    }

    private func load(_ bankId: Identifier) async throws -> Bank? {
        do {
            return try await loadReadable(bankId)
        } catch StoreError.unreadable(let reason) {
            countedObjects.logUnreadable(bankId, reason)
            return ignored(bankId)
        }
    }

    private func loadReadable(_ bankId: Identifier) async throws -> Bank? {
        let begun = generation.withLock(\.self)
        guard let found = try await store.bankWithKeys(id: bankId) else {
            forget(bankId)
            return nil
        }
        guard let record = try await countedObjects.countedPart(of: found) else { return ignored(bankId) }
        let bank = try Bank(record, keyring: keyring)
        kept.withLock { kept in
            guard generation.withLock(\.self) == begun else { return }
            if kept.count >= Self.capacity { kept.removeAll(keepingCapacity: true) }
            if let comparisons = kept[bankId]?.comparisons {
                kept[bankId] = Kept(bank: bank, comparisons: comparisons)
            } else {
                kept[bankId] = Kept(bank: bank)
            }
        }
        return bank
    }
}

/// The result of serving a request.
enum Served<Result> {
    case done(Result)
    /// The bank has changed since the request was authenticated. Nothing was done.
    case bankHasChanged
}
