package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import HTTPSignatures
package import Logging
internal import Metrics
internal import ServiceLifecycle

/// Signs seals over the ends of all chains of the audit trail. Servers take turns: the number of a seal is unique.
package struct AuditSealing: Service, CustomStringConvertible {
    /// How long after a seal the next one is made.
    package static let intervalSeconds: Int64 = 10

    package let description = "audit seals"

    private let seals: AuditSeals
    private let vault: VaultWatch
    private let logger: Logger
    private let failures = Counter(label: "card_companion_audit_seal_failures_total")

    package init(seals: AuditSeals, vault: VaultWatch, logger: Logger) {
        self.seals = seals
        self.vault = vault
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                guard vault.isOpen else { continue }
                await seal()
            }
        }
        if vault.isOpen { await seal() }
    }

    private func seal() async {
        do {
            guard let seal = try await seals.add(.regular) else { return }
            // The log gets the seal too: a copy of it shows if someone later cuts off the end of the trail.
            logger.auditTrail.info(
                "seal",
                metadata: ["seal": "\(seal.number)", "hash": "\(Hex.encode(seal.hash))", "epoch": "\(seal.epoch)"])
        } catch let error as ForeignSeal {
            failures.increment()
            logger.critical("\(error)")
        } catch let error as SealOfToken {
            failures.increment()
            logger.critical("\(error)")
        } catch {
            failures.increment()
            logger.warning("The audit trail could not be sealed", metadata: ["error": "\(error)"])
        }
    }
}

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

package struct AuditSeals: Sendable {
    /// How much older than the last seal an entry can be that it does not cover: the clocks of servers differ, and a
    /// transaction takes some time.
    private static let marginSeconds: Int64 = 300
    /// After this many seals, about an hour, a seal looks at all chains.
    private static let sealsPerFullLook: Int64 = 360

    private let store: Store
    private let keys: SealKeys
    private let clock: WallClock

    package init(store: Store, keys: SealKeys, clock: WallClock) {
        self.store = store
        self.keys = keys
        self.clock = clock
    }

    /// Adds the next seal.
    ///
    /// - Parameter note: why an epoch is opened; empty for a regular seal.
    /// - Returns: nil if there is nothing to seal, or if another server was faster.
    package func add(_ kind: AuditSealRecord.Kind, note: String = "") async throws -> AuditSealRecord? {
        guard let signer = try await keys.signer() else { return nil }
        let newest = try await store.newestAuditSeal()
        let now = clock.now()
        if kind == .regular, let newest, now.seconds - newest.sealedAt.seconds < AuditSealing.intervalSeconds - 1 {
            return nil
        }
        let looksAtAll = newest.map { $0.number % Self.sealsPerFullLook == 0 } ?? true
        let heads = try await store.grownAuditHeads(
            since: looksAtAll || kind == .epoch ? nil : newest?.sealedAt.advanced(bySeconds: -Self.marginSeconds))
        guard !heads.isEmpty || kind == .epoch else { return nil }
        if kind != .epoch { try await requireOwn(newest, before: signer) }
        let seal = try await signed(after: newest, kind, note: note, heads: heads, closed: nil, signer)
        return try await store.insertAuditSeal(seal, heads: heads) ? seal : nil
    }

    /// Adds a seal that closes the trail up to an earlier one.
    ///
    /// - Parameter ends: the ends of all chains in what is closed.
    /// - Returns: nil if another server was faster.
    func close(upTo closed: AuditSealRecord.Closed, ends: [AuditHead], note: String) async throws -> AuditSealRecord? {
        guard let signer = try await keys.signer() else { return nil }
        let newest = try await store.newestAuditSeal()
        try await requireOwn(newest, before: signer)
        let seal = try await signed(after: newest, .closing, note: note, heads: ends, closed: closed, signer)
        return try await store.insertAuditSeal(seal, heads: []) ? seal : nil
    }

    private func requireOwn(_ newest: AuditSealRecord?, before signer: SealKeys.Signer) async throws {
        guard let newest else { return }
        guard newest.hash == newest.expectedHash, let verifier = try await keys.verifiers()[newest.keyId],
            verifier.key.isValid(newest.signature, over: newest.signedText)
        else { throw ForeignSeal(number: newest.number) }
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

    private func signed(
        after newest: AuditSealRecord?, _ kind: AuditSealRecord.Kind, note: String, heads: [AuditHead],
        closed: AuditSealRecord.Closed?, _ signer: SealKeys.Signer
    ) async throws -> AuditSealRecord {
        var seal = AuditSealRecord(
            number: (newest?.number ?? 0) + 1, epoch: (newest?.epoch ?? 1) + (kind == .epoch ? 1 : 0), kind: kind,
            sealedAt: clock.now(), note: note, heads: heads.flatMap(\.bytes), closed: closed,
            previousHash: newest?.hash ?? [], hash: [], keyId: signer.keyId, signature: [])
        seal.hash = seal.expectedHash
        do {
            seal.signature = try await signer.sign(seal.signedText)
        } catch {
            keys.forgetSigner()
            throw error
        }
        return seal
    }
}
