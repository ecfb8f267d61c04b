internal import CardCompanion

/// A token bucket for each address. The time is injected.
struct AddressBuckets: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var buckets: TokenBuckets<IPAddress>

    init(_ rate: TokenBucket.Rate, at now: Instant, limit: Int = TokenBuckets<IPAddress>.rememberedLimit) {
        buckets = TokenBuckets(rate, at: now, limit: limit)
    }

    /// How many addresses are remembered.
    var count: Int { buckets.count }

    /// Takes a token of an address.
    ///
    /// - Returns: nil if there was one; otherwise after how many seconds there is one.
    mutating func charge(_ address: IPAddress, at now: Instant) -> Int? {
        buckets.charge(address.network, at: now)
    }

    /// Takes tokens of an address that need not be there: it then waits until they are.
    mutating func owe(_ count: Int, by address: IPAddress, at now: Instant) {
        buckets.owe(count, by: address.network, at: now)
    }
}
