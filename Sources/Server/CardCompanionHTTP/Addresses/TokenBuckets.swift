internal import CardCompanion

/// A token bucket for each of many, such as addresses. The time is injected.
///
/// A bucket that nobody has used for as long as it takes to fill is full, and need not be remembered. So the buckets are kept in two
/// parts, the recent and the older ones, and the older part is dropped once in this time.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How many keys each of the two parts remembers. Further keys share one bucket.
    static var rememberedLimit: Int { 100_000 }

    private let rate: TokenBucket.Rate
    private let limit: Int
    private var recent: [Key: TokenBucket] = [:]
    private var older: [Key: TokenBucket] = [:]
    private var recentSince: Instant
    private var shared: TokenBucket

    init(_ rate: TokenBucket.Rate, at now: Instant, limit: Int = rememberedLimit) {
        self.rate = rate
        self.limit = limit
        recentSince = now
        shared = TokenBucket(rate, at: now)
    }

    /// How many keys are remembered.
    var count: Int { recent.count + older.count }

    /// Takes a token of a key.
    ///
    /// - Returns: nil if there was one; otherwise after how many seconds there is one.
    mutating func charge(_ key: Key, at now: Instant) -> Int? {
        forget(at: now)
        guard recent[key] != nil || recent.count < limit else { return Self.charge(&shared, at: now) }
        var bucket = recent[key] ?? older.removeValue(forKey: key) ?? TokenBucket(rate, at: now)
        defer { recent[key] = bucket }
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
