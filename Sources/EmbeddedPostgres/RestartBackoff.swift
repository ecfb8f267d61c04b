/// When a server that died is started again, and when that is given up.
struct RestartBackoff {
    static let firstDelaySeconds = 1
    static let longestDelaySeconds = 30
    static let attemptLimit = 10

    /// How long a server must have run for its next death to count as the first.
    static let steadySeconds = 60

    private var attempts = 0
    private var startedAt: ContinuousClock.Instant?

    /// The delay before the next attempt, or nil after the last one.
    mutating func nextDelaySeconds(now: ContinuousClock.Instant) -> Int? {
        if let startedAt, startedAt.duration(to: now) >= .seconds(Self.steadySeconds) { attempts = 0 }
        startedAt = nil
        guard attempts < Self.attemptLimit else { return nil }
        defer { attempts += 1 }
        return min(Self.firstDelaySeconds << attempts, Self.longestDelaySeconds)
    }

    /// Notes that an attempt brought the server up.
    mutating func started(now: ContinuousClock.Instant) {
        startedAt = now
    }
}
