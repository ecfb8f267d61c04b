public import CardCompanionStore
public import Logging
public import ServiceLifecycle

/// Erases PINs that nobody fetched in time, and removes sessions and spent marks that are over. Any number of servers
/// may do so at once.
public struct Housekeeping: Service, CustomStringConvertible {
    /// Its name in the log.
    public let description = "housekeeping"

    /// How many rows of a kind one round removes at most.
    public static let rowsPerRound = 1_000

    /// How long lines of an import may wait for its end, and how long events are kept.
    static let stagedLifetimeSeconds: Int64 = 86_400
    static let eventLifetimeSeconds: Int64 = 30 * 86_400

    private let store: Store
    private let clock: WallClock
    private let intervalSeconds: Int
    private let logger: Logger

    /// - Parameter intervalSeconds: the pause after a round that left nothing over.
    public init(store: Store, clock: WallClock, intervalSeconds: Int, logger: Logger) {
        self.store = store
        self.clock = clock
        self.intervalSeconds = intervalSeconds
        self.logger = logger
    }

    /// Works until it is told to stop.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await round()
                try? await Task.sleep(for: .seconds(intervalSeconds))
            }
        }
    }

    private func round() async {
        do {
            var isFull = true
            while isFull, !Task.isCancelled {
                let now = clock.now()
                let result = try await store.removeExpired(
                    now: now, stagedBefore: Timestamp(seconds: now.seconds - Self.stagedLifetimeSeconds),
                    occurredBefore: Timestamp(seconds: now.seconds - Self.eventLifetimeSeconds),
                    limit: Self.rowsPerRound)
                isFull = result.isFull(limit: Self.rowsPerRound)
                if result.erasedPINs > 0 {
                    logger.notice("Undelivered PINs erased", metadata: ["count": "\(result.erasedPINs)"])
                }
            }
        } catch {
            logger.warning("Housekeeping failed, and will be tried again", metadata: ["error": "\(error)"])
        }
    }
}
