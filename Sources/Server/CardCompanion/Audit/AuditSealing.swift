internal import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import Logging
internal import Metrics
internal import ServiceLifecycle
internal import Synchronization

/// Looks at the audit trail every ten seconds: compares it with what is remembered, seals what is new, and keeps the newest seal
/// where the database's owner cannot change it. Servers take turns with the seals: the number of a seal is unique.
package final class AuditSealing: Service, CustomStringConvertible {
    /// How long after a seal the next one is made.
    package static let intervalSeconds: Int64 = 10
    /// How often the newest seal is kept outside of the database. A token wears out.
    static let keepingIntervalSeconds: Int64 = 3600
    private static let secondsPerDay: Int64 = 86_400

    package let description = "audit seals"

    private struct State {
        /// When the newest seal was kept; nil if this server has kept none.
        var keptAt: Timestamp?
        /// The day whose seal the banks have, in days since 1970.
        var reportedDay: Int64?
    }

    private let seals: AuditSeals
    private let store: Store
    private let isVaultOpen: @Sendable () -> Bool
    private let clock: WallClock
    private let logger: Logger
    private let metrics = AuditMetrics()
    private let state = Mutex(State())

    /// - Parameter isVaultOpen: whether the server has its keys.
    package init(
        seals: AuditSeals, store: Store, clock: WallClock, logger: Logger,
        isVaultOpen: @escaping @Sendable () -> Bool = { true }
    ) {
        self.seals = seals
        self.store = store
        self.isVaultOpen = isVaultOpen
        self.clock = clock
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                if self.isVaultOpen() { await self.look() }
            } while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil
        }
        guard isVaultOpen() else { return }
        await look()
        await keep()
    }

    /// One look.
    package func look() async {
        await findAlterations()
        do {
            if let seal = try await seals.add() { log(seal) }
            metrics.trailIsIntact(true)
            try await reportDaily()
        } catch let error as ReplacedTrail {
            // The next start must find it too.
            await keep()
            metrics.trailIsIntact(false)
            return failed("\(error): \(error.remedy)")
        } catch let error as ForeignSeal {
            failed("\(error)")
        } catch let error as SealOfToken {
            failed("\(error)")
        } catch {
            metrics.failed()
            logger.warning("The audit trail could not be sealed", metadata: ["error": "\(error)"])
        }
        if isKeepingDue { await keep() }
    }

    private func failed(_ reason: String) {
        metrics.failed()
        logger.critical("\(reason)")
    }

    private func log(_ seal: AuditSealRecord) {
        // The log gets the seal too: a copy of it shows if someone later cuts off the end of the trail.
        logger.auditTrail.info(
            "seal", metadata: ["seal": "\(seal.number)", "hash": "\(Hex.encode(seal.hash))", "epoch": "\(seal.epoch)"])
        let late = seal.lateEntries ?? []
        guard let first = late.first else { return }
        let count = late.reduce(0) { $0 + $1.last - $1.first + 1 }
        metrics.late(count)
        logger.critical(
            """
            Entries came late to the audit trail: an earlier seal, made more than \(AuditSeals.lateAfterSeconds) seconds after their \
            time, lacks them. Somebody may have put them in. Look at them with 'card-companion audit verify'
            """,
            metadata: [
                "seal": "\(seal.number)", "entries": "\(count)", "chain": "\(first.chainId)",
                "sequence": "\(first.first)",
            ])
    }

    /// A function that writes no entries leaves nothing that a seal could cover.
    private func findAlterations() async {
        do {
            let found = try await store.alterations()
            metrics.databaseIsOriginal(found.isEmpty)
            guard !found.isEmpty else { return }
            logger.critical(
                "Somebody has replaced parts of the database, so that entries of the audit trail can be missing: see 'card-companion doctor'",
                metadata: ["replaced": "\(found.joined(separator: ", "))"])
        } catch {
            logger.warning("The functions of the database were not compared", metadata: ["error": "\(error)"])
        }
    }

    private var isKeepingDue: Bool {
        guard let keptAt = state.withLock(\.keptAt) else { return true }
        return clock.now().seconds - keptAt.seconds >= Self.keepingIntervalSeconds
    }

    private func keep() async {
        do {
            try await seals.memory.keep()
            state.withLock { $0.keptAt = clock.now() }
        } catch {
            logger.warning("The newest seal could not be kept in the vault", metadata: ["error": "\(error)"])
        }
    }

    /// Once a day each bank gets the newest seal, so that it is a witness.
    private func reportDaily() async throws {
        let now = clock.now()
        let day = now.seconds / Self.secondsPerDay
        guard day != state.withLock(\.reportedDay), let newest = seals.memory.newest else { return }
        try await store.reportAuditSeal(newest.witness, now: now)
        state.withLock { $0.reportedDay = day }
    }
}
