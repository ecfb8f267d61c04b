import CardCompanion
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
    private let start = ContinuousClock.now

    @Test("A full bucket gives its burst at once, and then its rate")
    func burst() {
        var bucket = TokenBucket(.init(perSecond: 10, burst: 30), at: start)
        #expect(taken(40, from: &bucket, at: start) == 30)
        #expect(taken(1, from: &bucket, at: start + .milliseconds(99)) == 0)
        #expect(taken(1, from: &bucket, at: start + .milliseconds(200)) == 1)
        #expect(taken(40, from: &bucket, at: start + .seconds(2)) == 19)
    }

    @Test("A bucket never holds more than its burst")
    func full() {
        var bucket = TokenBucket(.init(perSecond: 10, burst: 3), at: start)
        #expect(taken(9, from: &bucket, at: start + .seconds(86_400)) == 3)
    }

    @Test("It says after how many whole seconds there is a token")
    func retryAfter() {
        var bucket = TokenBucket(.init(perSecond: 1, burst: 1), at: start)
        #expect(taken(1, from: &bucket, at: start) == 1)
        #expect(bucket.retryAfterSeconds(at: start) == 1)
        #expect(bucket.retryAfterSeconds(at: start + .seconds(5)) == 1)
    }

    @Test("Of each of many, it says after how many seconds there is a token, and takes none")
    func ofMany() {
        var buckets = TokenBuckets<String>(.init(perSecond: 1, burst: 1), at: start, limit: 1)
        #expect(buckets.retryAfterSeconds("first", at: start) == nil)
        #expect(buckets.charge("first", at: start) == nil)
        #expect(buckets.retryAfterSeconds("first", at: start) == 1)
        buckets.putBack("first", at: start)
        #expect(buckets.charge("first", at: start) == nil)
        #expect(buckets.charge("first", at: start) == 1)
        #expect(buckets.charge("shared", at: start) == nil)
        #expect(buckets.retryAfterSeconds("another without a bucket of its own", at: start) == 1)
        #expect(buckets.retryAfterSeconds("first", at: start + .seconds(1)) == nil)
    }

    @Test("A clock that goes back gives nothing, and takes nothing")
    func backwards() {
        var bucket = TokenBucket(.init(perSecond: 1, burst: 2), at: start)
        #expect(taken(1, from: &bucket, at: start + .seconds(10)) == 1)
        #expect(taken(1, from: &bucket, at: start) == 1)
        #expect(taken(1, from: &bucket, at: start + .seconds(10)) == 0)
        #expect(taken(1, from: &bucket, at: start + .seconds(11)) == 1)
    }

    private func taken(_ attempts: Int, from bucket: inout TokenBucket, at now: ContinuousClock.Instant) -> Int {
        var count = 0
        for _ in 0..<attempts where bucket.take(at: now) { count += 1 }
        return count
    }
}
