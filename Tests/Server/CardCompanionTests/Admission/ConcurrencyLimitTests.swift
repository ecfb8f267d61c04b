import Testing

@testable import CardCompanion

@Suite("How many requests are taken at once")
struct ConcurrencyLimitTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test("Answers that come soon let the limit grow if it is used, by an eighth in the time of one answer")
    func growth() {
        var limit = ConcurrencyLimit(least: 20)
        #expect(limit.value == 120)
        for _ in 0..<80 { limit.ended(begunAt: at(0), hasAnswer: true, of: 100, at: at(100)) }
        #expect(limit.value == 130)
        for _ in 0..<80 { limit.ended(begunAt: at(0), hasAnswer: true, of: 50, at: at(100)) }
        #expect(limit.value == 130, "nobody reaches it")
        for _ in 0..<20_000 { limit.ended(begunAt: at(0), hasAnswer: true, of: 900, at: at(100)) }
        #expect(limit.value == ConcurrencyLimit.most)
    }

    @Test("Answers that come late on average shrink the limit, by half at most, and not at each answer")
    func shrinking() {
        var limit = ConcurrencyLimit(least: 20)
        limit.ended(begunAt: at(0), hasAnswer: true, of: 50, at: at(2_000))
        #expect(limit.value == 120, "few were in flight")
        limit.ended(begunAt: at(1_300), hasAnswer: true, of: 100, at: at(2_000))
        #expect(limit.value == 50)
        limit.ended(begunAt: at(1_000), hasAnswer: true, of: 99, at: at(2_149))
        #expect(limit.value == 50, "it has just shrunk")
        limit.ended(begunAt: at(1_000), hasAnswer: false, of: 98, at: at(2_150))
        #expect(limit.value == 25)
        limit.ended(begunAt: at(2_200), hasAnswer: false, of: 60, at: at(2_310))
        #expect(limit.value == 20, "the least")
    }

    @Test("A single slow answer does not shrink the limit")
    func outlier() {
        var limit = ConcurrencyLimit(least: 20)
        for _ in 0..<50 { limit.ended(begunAt: at(0), hasAnswer: true, of: 100, at: at(20)) }
        limit.ended(begunAt: at(0), hasAnswer: true, of: 100, at: at(1_000))
        #expect(limit.value == 126)
    }

    @Test("So many as the setting says are always taken, even if that is more than others have at most")
    func least() {
        var limit = ConcurrencyLimit(least: 5_000)
        limit.ended(begunAt: at(0), hasAnswer: false, of: 5_000, at: at(2_000))
        #expect(limit.value == 5_000)
    }

    /// A database that does so many requests per second, in order, and clients that send without waiting for answers.
    private struct World {
        var limit = ConcurrencyLimit(least: 16)
        private var waiting: [Int] = []
        private var work = 0.0
        private(set) var now = 0
        let start: ContinuousClock.Instant

        init(start: ContinuousClock.Instant) { self.start = start }

        /// - Returns: how many were answered within a second, and the longest time of one in milliseconds.
        mutating func pass(seconds: Int, capacity: Double, arrivals: Double) -> (good: Int, longest: Int) {
            var (good, longest, arrived) = (0, 0, 0.0)
            for _ in 0..<seconds * 1_000 {
                now += 1
                arrived += arrivals / 1_000
                while arrived >= 1 {
                    arrived -= 1
                    if waiting.count < limit.value { waiting.append(now) }
                }
                work = min(work + capacity / 1_000, Double(waiting.count))
                while work >= 1, !waiting.isEmpty {
                    work -= 1
                    let (begin, inFlight) = (waiting.removeFirst(), waiting.count + 1)
                    limit.ended(
                        begunAt: start + .milliseconds(begin), hasAnswer: now - begin < 2_000, of: inFlight,
                        at: start + .milliseconds(now))
                    if now - begin <= 1_000 { good += 1 }
                    longest = max(longest, now - begin)
                }
            }
            return (good, longest)
        }
    }

    @Test(
        "At two, five and ten times of what can be done, nearly as much is done as at best, and soon",
        arguments: [2.0, 5, 10])
    func overload(factor: Double) {
        var world = World(start: start)
        _ = world.pass(seconds: 5, capacity: 700, arrivals: 700 * factor)
        let (good, longest) = world.pass(seconds: 10, capacity: 700, arrivals: 700 * factor)
        #expect(good > 7_000 * 95 / 100)
        #expect(longest < 400)
    }

    @Test("After a slow disk all is as before within five seconds, although five times as much comes as can be done")
    func recovery() {
        var world = World(start: start)
        let before = world.pass(seconds: 10, capacity: 700, arrivals: 3_500)
        _ = world.pass(seconds: 10, capacity: 20, arrivals: 3_500)
        let slow = world.pass(seconds: 20, capacity: 20, arrivals: 3_500)
        #expect(slow.good > 20 * 20 * 95 / 100, "what the disk can do is done in time")
        _ = world.pass(seconds: 5, capacity: 700, arrivals: 3_500)
        let after = world.pass(seconds: 10, capacity: 700, arrivals: 3_500)
        #expect(after.good > before.good * 95 / 100 && after.longest < 400)
    }
}
