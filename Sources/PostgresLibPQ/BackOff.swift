/// When to try again: at once after success, then later and later, never all clients at the same moment.
struct BackOff {
    private let limits: PostgresBackOffLimits

    /// How many attempts have failed since the last success.
    private(set) var failures = 0

    init(_ limits: PostgresBackOffLimits) {
        self.limits = limits
    }

    mutating func succeeded() {
        failures = 0
    }

    /// - Returns: how long to wait: from half of the step to the whole of it, evenly spread.
    mutating func failed(using random: inout some RandomNumberGenerator) -> Duration {
        failures += 1
        let doublings = min(failures - 1, Self.maximumDoublings)
        let step = min(limits.initialMilliseconds << doublings, limits.maximumMilliseconds)
        return .milliseconds(Int.random(in: (step + 1) / 2...step, using: &random))
    }

    // Beyond it the limit rules anyhow, and the shift must not overflow.
    private static let maximumDoublings = 20
}
