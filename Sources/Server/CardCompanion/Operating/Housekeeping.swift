internal import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import ServiceLifecycle

/// Erases PINs that were not fetched in time, removes everything that has expired, and reports what soon will. Any number of
/// servers can do this at once.
package struct Housekeeping: Service, CustomStringConvertible {
    package let description = "housekeeping"

    /// The most rows of one transaction.
    package static let rowsPerBatch = 1_000

    /// How long staged lines of an import are kept, and how long events are.
    static let stagedLifetimeSeconds: Int64 = 86_400
    static let eventLifetimeSeconds: Int64 = 30 * 86_400

    /// How often the log warns of revocation lists that have expired or soon will.
    static let warningIntervalSeconds: Int64 = 3600

    private let store: Store
    private let clock: WallClock
    private let clockWatch: ClockWatch
    private let intervalSeconds: Int
    private let logger: Logger
    private let metrics = HousekeepingMetrics()

    /// - Parameter intervalSeconds: the pause after a round.
    package init(store: Store, clock: WallClock, clockWatch: ClockWatch, intervalSeconds: Int, logger: Logger) {
        self.store = store
        self.clock = clock
        self.clockWatch = clockWatch
        self.intervalSeconds = intervalSeconds
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var warnedAt: Timestamp?
            while !Task.isCancelled {
                await warnOfRevocationLists(&warnedAt)
                await removeAll()
                try? await Task.sleep(for: .seconds(intervalSeconds))
            }
        }
    }

    /// One round: removes and reports all that is due.
    package func removeAll() async {
        var hasFailed = false
        for kind in ExpiredKind.allCases {
            do {
                // With a wrong clock, everything could seem expired. The clock can go wrong at any moment, so the
                // time that was compared is the one that counts.
                try await remove(kind, now: try await clockWatch.compare(warns: false))
            } catch {
                guard !Task.isCancelled else { return }
                hasFailed = true
                metrics.failed(kind)
                logger.warning(
                    "Housekeeping failed; it will be tried again",
                    metadata: ["kind": "\(kind)", "error": "\(error)"])
            }
        }
        if !hasFailed { metrics.succeeded(at: clock.now()) }
    }

    private func warnOfRevocationLists(_ warnedAt: inout Timestamp?) async {
        let now = clock.now()
        if let warnedAt, now.seconds < warnedAt.seconds + Self.warningIntervalSeconds { return }
        do {
            let limit = now.advanced(bySeconds: RevocationListRecord.warningSeconds)
            for (bankId, list) in try await store.revocationLists(endingBy: limit) {
                guard let warning = list.warning(now: now) else { continue }
                logger.warning("\(warning)", metadata: ["bank_id": "\(ClientText.quoted(bankId.text))"])
            }
            for warning in try await store.trustListSummaries().compactMap({ $0.warning(now: now) }) {
                logger.warning("\(warning): import a new one with 'card-companion csca import'")
            }
            warnedAt = now
        } catch {
            logger.warning(
                "Revocation lists were not checked; it will be tried again", metadata: ["error": "\(error)"])
        }
    }

    private func remove(_ kind: ExpiredKind, now: Timestamp) async throws {
        var batch: RemovedBatch
        repeat {
            batch = try await store.removeExpired(kind, before: limit(of: kind, now: now), limit: Self.rowsPerBatch)
            metrics.removed(batch.removed, of: kind)
            if kind == .pins, batch.removed > 0 {
                logger.notice("Undelivered PINs erased", metadata: ["count": "\(batch.removed)"])
            }
        } while batch.isFull && !Task.isCancelled
    }

    /// What is older than this is removed.
    private func limit(of kind: ExpiredKind, now: Timestamp) -> Timestamp {
        switch kind {
        case .pins, .sessions, .proofs, .answers, .keyImports, .proposedChanges, .identityChecks, .identityPasses,
            .exportCounts, .certificates, .revocationLists:
            now
        case .importLines: now.advanced(bySeconds: -Self.stagedLifetimeSeconds)
        case .events: now.advanced(bySeconds: -Self.eventLifetimeSeconds)
        case .serverKeys: now.advanced(bySeconds: -ServerKeys.retiredLifetimeSeconds)
        }
    }
}
