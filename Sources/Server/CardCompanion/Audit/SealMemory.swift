package import CardCompanionModel
package import CardCompanionStore
internal import HTTPSignatures
internal import Synchronization

/// The newest seal that this server has seen, and the ends that seals cover. Nobody who can write to the database can change it, so
/// it shows when the trail goes back, or is another one.
package final class SealMemory: Sendable {
    /// How many ends are remembered at most. `audit verify` compares all.
    static let endLimit = 10_000
    private static let pageLength = 1_000

    private struct State {
        /// Whether the seal that is kept outside of this server was read.
        var hasBegun = false
        /// The newest seal that is known.
        var mark: Mark?
        /// The same, if this server has seen and verified it.
        var newest: AuditSealRecord?
        /// The newest sealed end of each chain.
        var ends: [Int32: AuditHead] = [:]
    }

    private let store: Store
    private let keys: SealKeys
    private let kept: KeptMark
    private let state = Mutex(State())

    package init(store: Store, keys: SealKeys, kept: KeptMark) {
        self.store = store
        self.keys = keys
        self.kept = kept
    }

    /// The newest seal that was seen and verified.
    package var newest: AuditSealRecord? { state.withLock(\.newest) }

    /// The seal that is kept outside of the database and of this process.
    package func keptMark() async throws -> Mark? { try await kept.newest() }

    /// Keeps the newest known seal outside of the database and of this process.
    package func keep() async throws {
        if let mark = state.withLock(\.mark) { try await kept.raise(to: mark) }
    }

    /// Compares the trail in the database with what is remembered, and remembers its newest seal.
    ///
    /// - Returns: the newest seal, verified; nil if there is none.
    /// - Throws: ``ReplacedTrail``; ``ForeignSeal`` if none of the keys has signed the newest seal; `StoreError`, `KeyVaultError`.
    package func follow() async throws -> AuditSealRecord? {
        try await begin()
        guard let newest = try await store.newestAuditSeal() else {
            if let known = state.withLock(\.mark) { throw ReplacedTrail(.fewerSeals, known: known, found: 0) }
            return nil
        }
        guard let known = state.withLock(\.mark) else {
            try await take(newest, covering: [:])
            try await compareEnds(newest)
            return newest
        }
        guard newest.number >= known.number else {
            throw ReplacedTrail(.fewerSeals, known: known, found: newest.number)
        }
        if newest.number > known.number {
            try await follow(from: known, to: newest)
        } else if newest.hash != known.hash {
            throw ReplacedTrail(.otherSeal(known.number), known: known, found: newest.number)
        } else if state.withLock({ $0.newest == nil }) {
            try await take(newest, covering: [:])
        }
        try await compareEnds(newest)
        // Not the row: it may have been changed since it was verified.
        return self.newest
    }

    /// What is wrong with the trail; nil if it is the one that is remembered.
    ///
    /// - Throws: `StoreError`, `KeyVaultError`.
    package func fault() async throws -> ReplacedTrail? {
        do {
            _ = try await follow()
            return nil
        } catch let fault as ReplacedTrail {
            return fault
        } catch is ForeignSeal {
            return nil
        }
    }

    /// Refuses a database that lacks seals which are known, as after a restore.
    ///
    /// - Throws: ``RestoredDatabase``; as ``fault()``.
    func requireNewestSeals() async throws {
        if let fault = try await fault(), fault.finding == .fewerSeals { throw RestoredDatabase(fault: fault) }
    }

    /// Remembers a seal that this program has just added.
    func remember(_ seal: AuditSealRecord) {
        state.withLock { state in
            state.ends.follow(seal)
            state.mark = seal.mark
            state.newest = seal
        }
    }

    private func begin() async throws {
        guard !state.withLock(\.hasBegun) else { return }
        let mark = try await kept.newest()
        state.withLock { $0.mark = mark }
        state.withLock { $0.hasBegun = true }
    }

    /// Follows the seals after the known one, each of which has the hash of the one before. So the signature of the newest one
    /// covers them all.
    private func follow(from known: Mark, to newest: AuditSealRecord) async throws {
        var (last, ends) = (known, state.withLock(\.ends))
        if let epoch = try await store.newestAuditEpoch(givingUp: known.number) {
            // An operator has accepted that the trail is another one. If nobody has, the newest seal has no good signature.
            guard epoch.hash == epoch.expectedHash else {
                throw ReplacedTrail(.otherSeal(epoch.number), known: known, found: newest.number)
            }
            (last, ends) = (epoch.mark, [:])
            ends.follow(epoch)
        } else if let closing = try await store.newestAuditClosing(), let closed = closing.closed,
            closed.number >= known.number
        {
            guard closed.number > known.number || closed.hash == known.hash else {
                throw ReplacedTrail(.otherSeal(known.number), known: known, found: newest.number)
            }
            last = closed
        }
        while last.number < newest.number {
            let page = try await store.auditSeals(after: last.number, limit: Self.pageLength)
            guard !page.isEmpty else { throw ReplacedTrail(.fewerSeals, known: known, found: last.number) }
            for seal in page {
                guard seal.number == last.number + 1 else {
                    throw ReplacedTrail(.missingSeals(before: seal.number), known: known, found: newest.number)
                }
                guard seal.number <= newest.number else { break }
                guard seal.previousHash == last.hash, seal.hash == seal.expectedHash else {
                    throw ReplacedTrail(.otherSeal(seal.number), known: known, found: newest.number)
                }
                ends.follow(seal)
                last = seal.mark
            }
        }
        try await take(newest, covering: ends)
    }

    private func take(_ newest: AuditSealRecord, covering ends: [Int32: AuditHead]) async throws {
        guard newest.hash == newest.expectedHash, let verifier = try await keys.verifiers()[newest.keyId],
            verifier.key.isValid(newest.signature, over: newest.signedText)
        else { throw ForeignSeal(number: newest.number) }
        state.withLock { state in
            state.ends = ends
            state.ends.follow(newest)
            state.mark = newest.mark
            state.newest = newest
        }
    }

    private func compareEnds(_ newest: AuditSealRecord) async throws {
        let ends = state.withLock { Array($0.ends.values) }
        guard !ends.isEmpty else { return }
        var changed = try await store.changedAuditEnds(of: ends)
        guard !changed.isEmpty else { return }
        // A part can have been closed and removed meanwhile. If that closing is forged, the next look finds it.
        if let closing = try await store.newestAuditClosing(), closing.number > newest.number {
            let closed = Dictionary((closing.coveredHeads ?? []).map { ($0.chainId, $0.sequence) }) { $1 }
            changed.removeAll { $0.sequence <= closed[$0.chainId] ?? 0 }
        }
        guard let first = changed.first else { return }
        throw ReplacedTrail(
            .changedEntry(chainId: first.chainId, sequence: first.sequence), known: newest.mark, found: newest.number)
    }
}

extension [Int32: AuditHead] {
    /// Adds the ends that a seal covers, or removes those that it closes.
    fileprivate mutating func follow(_ seal: AuditSealRecord) {
        for head in seal.coveredHeads ?? [] {
            if seal.kind != .closing {
                if self[head.chainId] != nil || count < SealMemory.endLimit { self[head.chainId] = head }
            } else if let end = self[head.chainId], end.sequence <= head.sequence {
                self[head.chainId] = nil
            }
        }
    }
}

/// The audit trail in the database is not the one that is remembered.
package struct ReplacedTrail: Error, Equatable, CustomStringConvertible {
    package enum Finding: Equatable, Sendable {
        /// The newest seals are missing.
        case fewerSeals
        case otherSeal(Int64)
        case missingSeals(before: Int64)
        /// An entry that a seal covers is missing, or is another one.
        case changedEntry(chainId: Int32, sequence: Int64)
    }

    package let finding: Finding
    /// The newest seal that was known.
    package let known: Mark
    /// The number of the newest seal in the database; 0 if there is none.
    package let found: Int64

    init(_ finding: Finding, known: Mark, found: Int64) {
        self.finding = finding
        self.known = known
        self.found = found
    }

    package var description: String {
        let what =
            switch finding {
            case .fewerSeals: "its newest seals are missing"
            case .otherSeal(let number): "seal \(number) is another one"
            case .missingSeals(let number): "seals are missing before seal \(number)"
            case .changedEntry(let chain, let sequence):
                "entry \(sequence) of chain \(chain), which a seal covers, is missing or is another one, or its chain went back"
            }
        return
            "The audit trail is not the one that is known: \(what). The newest seal that is known is \(known.text); the newest "
            + "one in the database is \(found == 0 ? "none" : "\(found)")"
    }

    package var remedy: String {
        let restored =
            "if the database was restored from a backup, run 'card-companion database restored' first, so that nothing is served twice. "
            + "Otherwise "
        return (finding == .fewerSeals ? restored : "")
            + "look at the trail with 'card-companion audit verify', and find out who or what has changed it. No seal is added until you "
            + "run 'card-companion audit new-epoch --lost \(known.text) --found \(found) --reason …'"
    }
}

/// The database lacks seals of the audit trail that the vault knows. If it was restored from a backup, it would serve again what was
/// served since.
package struct RestoredDatabase: Error, CustomStringConvertible {
    let fault: ReplacedTrail

    package var description: String { "\(fault): \(fault.remedy)" }
}
