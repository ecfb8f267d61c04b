package import Logging
internal import Synchronization

/// A warning that an attacker can cause as often as they like, so it is logged at most once a minute.
package final class RareWarning: Sendable {
    static let interval = Duration.seconds(60)

    private struct State {
        var loggedAt: ContinuousClock.Instant?
        /// How often there was a reason since then.
        var count = 0
    }

    private let message: Logger.Message
    private let logger: Logger
    private let state = Mutex(State())

    package init(_ message: Logger.Message, _ logger: Logger) {
        self.message = message
        self.logger = logger
    }

    /// Records a reason to warn.
    ///
    /// - Parameter metadata: of the one who is refused now.
    package func warn(_ metadata: Logger.Metadata, at now: ContinuousClock.Instant = .now) {
        let count: Int? = state.withLock { state in
            state.count += 1
            if let loggedAt = state.loggedAt, loggedAt.duration(to: now) < Self.interval { return nil }
            defer { state = State(loggedAt: now) }
            return state.count
        }
        guard let count else { return }
        logger.warning(message, metadata: metadata.merging(["refused": "\(count)"]) { $1 })
    }
}
