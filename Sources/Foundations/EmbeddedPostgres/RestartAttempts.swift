internal import Retries

/// When a server that died is started again, and when to give up.
struct RestartAttempts {
    static let backOff = BackOff(first: .seconds(1), longest: .seconds(30))
    static let limit = 10

    /// How long a server must have run for its next death to count as the first.
    static let steadySeconds = 60

    private var failures = 0
    private var startedAt: ContinuousClock.Instant?

    /// The delay before the next attempt; nil after the last one.
    mutating func nextDelay(now: ContinuousClock.Instant) -> Duration? {
        if let startedAt, startedAt.duration(to: now) >= .seconds(Self.steadySeconds) { failures = 0 }
        startedAt = nil
        guard failures < Self.limit else { return nil }
        failures += 1
        var random = SystemRandomNumberGenerator()
        return Self.backOff.delay(afterFailures: failures, using: &random)
    }

    /// Takes back the last attempt: it could not even be made.
    mutating func wasNotMade() {
        failures -= 1
    }

    /// Records that an attempt has started the server.
    mutating func started(now: ContinuousClock.Instant) {
        startedAt = now
    }
}
