internal import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Counts requests that are refused before their callers are authenticated. Each minute it adds one entry to the audit trail
/// for each bank, operation and code. Anyone can send such requests, so they get no entries of their own.
package final class RefusalCounts: Service, CustomStringConvertible {
    /// How often the counts of past minutes are written.
    static let intervalSeconds = 10
    /// How many counts there can be at once. Further refusals are counted without their bank.
    static let capacity = 200

    package let description = "refusal counts"

    private struct Kind: Hashable {
        let minute: Int64
        let bankId: String?
        let operation: String
        let outcome: String
    }

    private static let minuteSeconds: Int64 = 60

    private let store: Store
    private let clock: WallClock
    private let logger: Logger
    private let counts = Mutex<[Kind: Int]>([:])

    package init(store: Store, clock: WallClock, logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Counts a refusal.
    ///
    /// - Parameters:
    ///   - bankId: what the request claims.
    ///   - outcome: the code of the protocol, or the kind of the problem.
    package func count(_ operation: String, bankId: String?, outcome: String) {
        let minute = clock.now().seconds / Self.minuteSeconds
        counts.withLock { counts in
            let bankId = bankId.flatMap { Identifier($0)?.text }
            let kind = Kind(minute: minute, bankId: bankId, operation: operation, outcome: outcome)
            let hasRoom = counts[kind] != nil || counts.count < Self.capacity
            let counted = Kind(minute: minute, bankId: nil, operation: operation, outcome: outcome)
            counts[hasRoom ? kind : counted, default: 0] += 1
        }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                await self.write(before: self.clock.now().seconds / Self.minuteSeconds)
            }
        }
        await write(before: .max)
    }

    private func write(before minute: Int64) async {
        let finished = counts.withLock { counts in
            let finished = counts.filter { $0.key.minute < minute }
            for kind in finished.keys { counts[kind] = nil }
            return finished
        }
        for (kind, count) in finished {
            do {
                try await store.appendAudit(
                    operation: kind.operation, outcome: kind.outcome, bankId: kind.bankId,
                    AuditNote(
                        subject: nil, actor: "unauthenticated",
                        detail: "\(count) in the minute from \(kind.minute * Self.minuteSeconds)"),
                    now: clock.now())
            } catch {
                counts.withLock { $0[kind, default: 0] += count }
                logger.warning("Refusals could not be counted in the audit trail", metadata: ["error": "\(error)"])
            }
        }
    }
}
