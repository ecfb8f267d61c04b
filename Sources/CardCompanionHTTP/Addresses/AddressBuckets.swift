internal import CardCompanion

/// A token bucket for each address. The time is injected.
///
/// A bucket that nobody has used for as long as it takes to fill is full, and need not be remembered. So the addresses are
/// kept in two parts, the recent and the older ones, and the older part is dropped once in this time.
struct AddressBuckets: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How many addresses each of the two parts remembers. Further addresses share one bucket.
    static let rememberedLimit = 100_000

    private let rate: TokenBucket.Rate
    private let limit: Int
    private var recent: [IPAddress: TokenBucket] = [:]
    private var older: [IPAddress: TokenBucket] = [:]
    private var recentSince: Instant
    private var shared: TokenBucket

    init(_ rate: TokenBucket.Rate, at now: Instant, limit: Int = rememberedLimit) {
        self.rate = rate
        self.limit = limit
        recentSince = now
        shared = TokenBucket(rate, at: now)
    }

    /// How many addresses are remembered.
    var count: Int { recent.count + older.count }

    /// Takes a token of an address.
    ///
    /// - Returns: nil if there was one; otherwise after how many seconds there is one.
    mutating func charge(_ address: IPAddress, at now: Instant) -> Int? {
        forget(at: now)
        let network = address.network
        guard recent[network] != nil || recent.count < limit else { return Self.charge(&shared, at: now) }
        var bucket = recent[network] ?? older.removeValue(forKey: network) ?? TokenBucket(rate, at: now)
        defer { recent[network] = bucket }
        return Self.charge(&bucket, at: now)
    }

    private static func charge(_ bucket: inout TokenBucket, at now: Instant) -> Int? {
        bucket.take(at: now) ? nil : bucket.retryAfterSeconds(at: now)
    }

    private mutating func forget(at now: Instant) {
        let age = recentSince.duration(to: now)
        guard age >= rate.refill else { return }
        older = age >= rate.refill * 2 ? [:] : recent
        recent = [:]
        recentSince = now
    }
}
