/// A token bucket for each of many, such as addresses. The time is injected.
///
/// A bucket that nobody has used for as long as it takes to fill, even from the largest debt, is full, and need not be remembered.
/// So the buckets are kept in two parts, the recent and the older ones, and the older part is dropped once in this time.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How many keys each of the two parts remembers. Further keys share one bucket.
    package static var rememberedLimit: Int { 100_000 }

    private let rate: TokenBucket.Rate
    /// How long it takes a bucket to fill that owes as much as it can hold.
    private let memory: Duration
    private let limit: Int
    private var recent: [Key: TokenBucket] = [:]
    private var older: [Key: TokenBucket] = [:]
    private var recentSince: Instant
    private var shared: TokenBucket

    package init(_ rate: TokenBucket.Rate, at now: Instant, limit: Int = rememberedLimit) {
        self.rate = rate
        memory = rate.refill * 2
        self.limit = limit
        recentSince = now
        shared = TokenBucket(rate, at: now)
    }

    /// How many keys are remembered.
    package var count: Int { recent.count + older.count }

    /// Takes a token of a key.
    ///
    /// - Returns: nil if there was one; otherwise after how many seconds there is one.
    package mutating func charge(_ key: Key, at now: Instant) -> Int? {
        guard var bucket = bucket(of: key, at: now) else { return Self.charge(&shared, at: now) }
        defer { recent[key] = bucket }
        return Self.charge(&bucket, at: now)
    }

    /// Nil if the key has a token; otherwise after how many seconds it has one.
    package func retryAfterSeconds(_ key: Key, at now: Instant) -> Int? {
        var bucket = recent[key] ?? older[key] ?? (recent.count < limit ? TokenBucket(rate, at: now) : shared)
        return Self.charge(&bucket, at: now)
    }

    /// Puts back a token of a key that was not needed after all. Keys that share a bucket get none.
    package mutating func putBack(_ key: Key, at now: Instant) {
        guard var bucket = bucket(of: key, at: now) else { return }
        bucket.putBack()
        recent[key] = bucket
    }

    /// Takes tokens of a key that need not be there. Keys that share a bucket owe nothing.
    package mutating func owe(_ count: Int, by key: Key, at now: Instant) {
        guard var bucket = bucket(of: key, at: now) else { return }
        bucket.owe(count, at: now)
        recent[key] = bucket
    }

    /// Nil if there is no room for the key.
    private mutating func bucket(of key: Key, at now: Instant) -> TokenBucket? {
        forget(at: now)
        guard recent[key] != nil || recent.count < limit else { return nil }
        return recent[key] ?? older.removeValue(forKey: key) ?? TokenBucket(rate, at: now)
    }

    private static func charge(_ bucket: inout TokenBucket, at now: Instant) -> Int? {
        bucket.take(at: now) ? nil : bucket.retryAfterSeconds(at: now)
    }

    private mutating func forget(at now: Instant) {
        let age = recentSince.duration(to: now)
        guard age >= memory else { return }
        older = age >= memory * 2 ? [:] : recent
        recent = [:]
        recentSince = now
    }
}
