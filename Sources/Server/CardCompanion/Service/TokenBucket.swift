/// A limit on a rate: a bucket of tokens that fills up again steadily. What is limited takes a token. An empty bucket
/// refuses. Callers pass the time.
package struct TokenBucket: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How many tokens a second brings, and how many the bucket holds.
    package struct Rate: Sendable, Equatable {
        package let perSecond: Int
        package let burst: Int

        package init(perSecond: Int, burst: Int) {
            precondition(perSecond > 0 && burst > 0, "a rate must be positive")
            self.perSecond = perSecond
            self.burst = burst
        }

        /// After how long an empty bucket is full again.
        package var refill: Duration { .seconds(1) * burst / perSecond }
    }

    private let rate: Rate
    private var tokens: Double
    private var updatedAt: Instant

    /// A full bucket.
    package init(_ rate: Rate, at now: Instant) {
        self.rate = rate
        tokens = Double(rate.burst)
        updatedAt = now
    }

    /// Takes a token.
    ///
    /// - Returns: false if the bucket is empty.
    package mutating func take(at now: Instant) -> Bool {
        fill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Takes tokens that need not be there: the bucket then owes them. It owes at most as many as it can hold.
    package mutating func owe(_ count: Int, at now: Instant) {
        fill(at: now)
        tokens = max(-Double(rate.burst), tokens - Double(count))
    }

    /// Puts back a token that was not needed after all.
    package mutating func putBack() {
        tokens = min(Double(rate.burst), tokens + 1)
    }

    /// After how many seconds there is a token: at least one.
    package func retryAfterSeconds(at now: Instant) -> Int {
        var copy = self
        copy.fill(at: now)
        return max(1, Int(((1 - copy.tokens) / Double(rate.perSecond)).rounded(.up)))
    }

    private mutating func fill(at now: Instant) {
        // A caller's time can be a little older than the last one's.
        let elapsed = max(.zero, updatedAt.duration(to: now)) / .seconds(1)
        tokens = min(Double(rate.burst), tokens + elapsed * Double(rate.perSecond))
        updatedAt = max(updatedAt, now)
    }
}
