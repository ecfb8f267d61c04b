package import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import Metrics
internal import ServiceLifecycle
internal import Synchronization

/// Compares the server's clock with the database's, at the start and each minute. A server whose clock is wrong would take
/// old requests and expired values, so it must not serve. Then it compares more often, to serve as soon as the clock is right.
package final class ClockWatch: Service, CustomStringConvertible {
    /// How often it looks.
    package static let interval = Duration.seconds(60)
    /// How often it looks while the clock is wrong.
    package static let retryInterval = Duration.seconds(5)
    /// It warns if the clocks differ by more than this.
    package static let warningSeconds: Int64 = 2

    package let description = "clock watch"

    private let store: Store
    private let clock: WallClock
    private let limitSeconds: Int64
    private let logger: Logger
    private let skew = Gauge(label: "card_companion_clock_skew_seconds")
    private let state = Mutex(State())

    private struct State {
        /// What the last comparison found; nil if the clock was right.
        var wrong: WrongClock?
        /// Whether the clock was right before.
        var hasBeenRight = false
    }

    /// - Parameter limitSeconds: the server does not serve while the clocks differ by more than this.
    package init(store: Store, clock: WallClock, limitSeconds: Int, logger: Logger) {
        self.store = store
        self.clock = clock
        self.limitSeconds = Int64(limitSeconds)
        self.logger = logger
    }

    /// Refuses to serve with a wrong clock.
    ///
    /// - Throws: `ServiceUnavailable` while the last comparison was beyond the limit.
    package func requireRightClock() throws {
        guard let wrong = state.withLock(\.wrong) else { return }
        throw ServiceUnavailable("\(wrong)", retryAfterSeconds: Int(Self.retryInterval.components.seconds))
    }

    private var isWrong: Bool { state.withLock { $0.wrong != nil } }

    /// Logs a change, once the clock was right. Before that, the server does not start and says so itself.
    private func remember(_ wrong: WrongClock?) {
        let before = state.withLock { state in
            defer {
                state.wrong = wrong
                state.hasBeenRight = state.hasBeenRight || wrong == nil
            }
            return state
        }
        guard before.hasBeenRight, (before.wrong == nil) != (wrong == nil) else { return }
        if let wrong {
            logger.error("This server does not serve", metadata: ["reason": "\(wrong)"])
        } else {
            logger.notice("The clock is right again, and this server serves")
        }
    }

    /// Compares the clocks.
    ///
    /// - Parameter warns: whether a difference below the limit is logged.
    /// - Returns: the time by the server's clock that was compared.
    /// - Throws: ``WrongClock`` if they differ beyond the limit, `StoreError` if they could not be compared.
    @discardableResult
    package func compare(warns: Bool = true) async throws -> Timestamp {
        let begin = clock.now()
        let theirs = try await store.clock()
        let end = clock.now()
        // The database read its clock at some time in between, so only what is beyond that is a difference.
        let behind = theirs.microseconds - end.microseconds
        let ahead = begin.microseconds - theirs.microseconds
        let difference = max(behind, ahead, 0)
        skew.record(Double(ahead > behind ? difference : -difference) / 1_000_000)
        let seconds = difference / 1_000_000
        guard seconds <= limitSeconds else {
            let wrong = WrongClock(seconds: seconds, isAhead: ahead > behind, limitSeconds: limitSeconds)
            remember(wrong)
            throw wrong
        }
        remember(nil)
        guard warns, seconds > Self.warningSeconds else { return begin }
        logger.warning(
            "The clock of this server differs from the database's",
            metadata: ["seconds": "\(seconds)", "is": ahead > behind ? "ahead" : "behind"])
        return begin
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var comparedAt = ContinuousClock.now
            // Housekeeping compares too, and can find a wrong clock in between.
            while (try? await Task.sleep(for: Self.retryInterval)) != nil {
                guard self.isWrong || .now - comparedAt >= Self.interval else { continue }
                comparedAt = .now
                do {
                    try await self.compare()
                } catch is WrongClock {
                    // It is logged already.
                } catch {
                    self.logger.warning("The clocks could not be compared", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// The server's clock differs too much from the database's.
package struct WrongClock: Error, CustomStringConvertible {
    let seconds: Int64
    let isAhead: Bool
    let limitSeconds: Int64

    /// For the operator.
    package var description: String {
        "the clock of this server is \(seconds) seconds \(isAhead ? "ahead of" : "behind") the database's, and "
            + "clock.limit.seconds is \(limitSeconds): correct the clocks, for example with NTP"
    }
}
