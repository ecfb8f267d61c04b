/// How long to wait before the next attempt: twice as long after each failure, up to a limit, times a random factor.
package struct BackOff: Hashable, Sendable {
    /// The wait after the first failure.
    package let first: Duration
    /// The longest wait, before the random factor.
    package let longest: Duration
    /// The range of the random factor. It keeps many clients from trying at the same moment.
    package let jitter: ClosedRange<Double>

    package init(first: Duration, longest: Duration, jitter: ClosedRange<Double> = 1...1) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The wait after this many failures in a row, at least one.
    package func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(failures - 1, 0), Self.maximumDoublings)
        return min(first * (1 << doublings), longest) * Double.random(in: jitter, using: &random)
    }

    // Beyond it `longest` applies in any case, and the shift must not overflow.
    private static let maximumDoublings = 20
}
