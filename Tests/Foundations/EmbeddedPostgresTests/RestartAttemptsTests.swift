import Testing

@testable import EmbeddedPostgres

@Suite struct RestartAttemptsTests {
    @Test func `Delays double up to the longest one, and attempts end`() {
        var attempts = RestartAttempts()
        var delays: [Duration] = []
        while let delay = attempts.nextDelay(now: .now) { delays.append(delay) }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map { .seconds($0) })
    }

    @Test func `A server that dies soon after its start continues the delays`() {
        let start = ContinuousClock.now
        var attempts = RestartAttempts()
        #expect(attempts.nextDelay(now: start) == .seconds(1))
        attempts.started(now: start)
        #expect(attempts.nextDelay(now: start + .seconds(59)) == .seconds(2))
    }

    @Test func `A server that ran steadily starts with the first delay again`() {
        let start = ContinuousClock.now
        var attempts = RestartAttempts()
        _ = attempts.nextDelay(now: start)
        _ = attempts.nextDelay(now: start)
        attempts.started(now: start)
        #expect(attempts.nextDelay(now: start + .seconds(60)) == .seconds(1))
        #expect(attempts.nextDelay(now: start + .seconds(600)) == .seconds(2))
    }

    @Test func `An attempt that could not be made does not count`() {
        var attempts = RestartAttempts()
        for _ in 0..<100 {
            #expect(attempts.nextDelay(now: .now) == .seconds(1))
            attempts.wasNotMade()
        }
        #expect(attempts.nextDelay(now: .now) == .seconds(1))
        #expect(attempts.nextDelay(now: .now) == .seconds(2))
    }
}
