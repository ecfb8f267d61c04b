package import CardCompanionModel
package import CardCompanionStore
internal import HTTPSignatures
internal import Synchronization

/// The newest seal is not signed with a key of this server. A seal after it would vouch for it.
package struct ForeignSeal: Error, CustomStringConvertible {
    let number: Int64

    package var description: String {
        "Seal \(number) of the audit trail is not signed with a key of this server, so no seal is added after it. Either someone "
            + "who can write to the database has made it, or its key was erased: see 'card-companion audit verify'. To go on "
            + "after it, run 'card-companion audit new-epoch'"
    }
}

/// A token signed the newest seal, and this server cannot sign with one. Its own key would be weaker: anyone who can read the
/// server's memory has it.
package struct SealOfToken: Error, CustomStringConvertible {
    let number: Int64

    package var description: String {
        "Seal \(number) of the audit trail was signed by a token, and the vault of this server is a file. So it adds no seal after it. "
            + "Set vault.token, or run 'card-companion audit new-epoch' to go on with seals of servers"
    }
}

/// Makes the seals of the audit trail.
package final class AuditSeals: Sendable {
    /// An entry is late if a seal lacks it that was made this much later.
    static let lateAfterSeconds: Int64 = 600
    /// How much older than the last seal an entry can be that a quick look finds: the clocks of servers differ, and a transaction
    /// takes some time.
    private static let marginSeconds: Int64 = 300
    /// How often a server looks at all chains. It takes long if there are many.
    private static let fullLookSeconds: Int64 = 3600

    package let keys: SealKeys
    package let memory: SealMemory
    private let store: Store
    private let clock: WallClock
    /// When this server has looked at all chains.
    private let lookedAtAllAt = Mutex<Timestamp?>(nil)

    package init(store: Store, keys: SealKeys, memory: SealMemory, clock: WallClock) {
        self.store = store
        self.keys = keys
        self.memory = memory
        self.clock = clock
    }

    /// Adds the next seal, if it is time for one.
    ///
    /// - Returns: nil if there is nothing to seal, or if another server was faster.
    /// - Throws: as ``SealMemory/follow()``; ``SealOfToken``.
    package func add() async throws -> AuditSealRecord? {
        guard let signer = try await keys.signer() else { return nil }
        let newest = try await memory.follow()
        let now = clock.now()
        if let newest, now.seconds - newest.sealedAt.seconds < AuditSealing.intervalSeconds - 1 { return nil }
        let heads = try await grownHeads(since: newest, now)
        guard !heads.isEmpty else { return nil }
        try await requireStrength(of: signer, after: newest)
        var seal = draft(after: newest, .regular, note: "", heads: heads)
        if let newest {
            let limit = newest.sealedAt.advanced(bySeconds: -Self.lateAfterSeconds)
            seal.late = try await store.lateAuditEntries(upTo: heads, before: limit).flatMap(\.bytes)
        }
        return try await insert(seal, after: newest, heads, signer)
    }

    /// Begins an epoch, after whatever the trail has.
    ///
    /// - Parameters:
    ///   - lost: the newest seal that was known, if the operator accepts that the trail is another one.
    ///   - found: the number of the newest seal that the operator has seen, 0 for none; nil for any.
    /// - Returns: nil if another server was faster.
    /// - Throws: ``OtherSealFound``; `StoreError`, `KeyVaultError`.
    package func beginEpoch(
        note: String, givingUp lost: Mark? = nil, after found: Int64? = nil
    ) async throws -> AuditSealRecord? {
        guard let signer = try await keys.signer() else { return nil }
        let newest = try await store.newestAuditSeal()
        if let found, found != newest?.number ?? 0 { throw OtherSealFound(number: newest?.number ?? 0) }
        let heads = try await store.grownAuditHeads(since: nil)
        var seal = draft(after: newest, .epoch, note: note, heads: heads)
        // Numbers never come again.
        seal.number = max(seal.number, (lost?.number ?? 0) + 1)
        seal.named = lost
        return try await insert(seal, after: newest, heads, signer)
    }

    /// Adds a seal that closes the trail up to an earlier one.
    ///
    /// - Parameter ends: the ends of all chains in what is closed.
    /// - Returns: nil if another server was faster.
    /// - Throws: as ``add()``.
    func close(upTo closed: Mark, ends: [AuditHead], note: String) async throws -> AuditSealRecord? {
        guard let signer = try await keys.signer() else { return nil }
        let newest = try await memory.follow()
        try await requireStrength(of: signer, after: newest)
        var seal = draft(after: newest, .closing, note: note, heads: ends)
        seal.named = closed
        return try await insert(seal, after: newest, [], signer)
    }

    private func grownHeads(since newest: AuditSealRecord?, _ now: Timestamp) async throws -> [AuditHead] {
        let isRecent = lookedAtAllAt.withLock { $0.map { now.seconds - $0.seconds < Self.fullLookSeconds } ?? false }
        if isRecent, let newest {
            return try await store.grownAuditHeads(
                since: newest.sealedAt.advanced(bySeconds: -Self.marginSeconds))
        }
        let heads = try await store.grownAuditHeads(since: nil)
        lookedAtAllAt.withLock { $0 = now }
        return heads
    }

    /// The newest seal is one of this installation's. Its key must not be a stronger one.
    private func requireStrength(of signer: SealKeys.Signer, after newest: AuditSealRecord?) async throws {
        guard let newest, let verifier = try await keys.verifiers()[newest.keyId] else { return }
        switch (signer.verifier.holder, verifier.holder) {
        case (.server, .recorded), (.server, .token): throw SealOfToken(number: newest.number)
        // A server's key may sign before the token has signed for the first time, and not after that.
        case (_, .server) where signer.verifier.holder > .server && newest.kind != .epoch:
            guard try await !store.hasAuditSeal(signedBy: signer.keyId) else {
                throw ForeignSeal(number: newest.number)
            }
        default: return
        }
    }

    private func draft(
        after newest: AuditSealRecord?, _ kind: AuditSealRecord.Kind, note: String, heads: [AuditHead]
    ) -> AuditSealRecord {
        AuditSealRecord(
            number: (newest?.number ?? 0) + 1, epoch: (newest?.epoch ?? 1) + (kind == .epoch ? 1 : 0), kind: kind,
            sealedAt: clock.now(), note: note, heads: heads.flatMap(\.bytes), previousHash: newest?.hash ?? [],
            hash: [],
            keyId: "", signature: [])
    }

    private func insert(
        _ draft: AuditSealRecord, after newest: AuditSealRecord?, _ heads: [AuditHead], _ signer: SealKeys.Signer
    ) async throws -> AuditSealRecord? {
        var seal = draft
        seal.keyId = signer.keyId
        seal.hash = seal.expectedHash
        do {
            seal.signature = try await signer.sign(seal.signedText)
        } catch {
            keys.forgetSigner()
            throw error
        }
        guard try await store.insertAuditSeal(seal, after: newest?.number ?? 0, heads: heads) else { return nil }
        if seal.kind != .epoch { memory.remember(seal) }
        return seal
    }
}

/// Somebody has added a seal since the operator has looked.
package struct OtherSealFound: Error, CustomStringConvertible {
    /// The number of the newest seal; 0 if there is none.
    let number: Int64

    package var description: String {
        "the newest seal in the database is \(number == 0 ? "none" : "\(number)"), and not the one of --found: look at the trail again"
    }
}
