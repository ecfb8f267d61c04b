import Testing

@testable import EmbeddedPostgres

@Suite struct RestartBackoffTests {
    @Test func `Delays double up to the longest, and attempts end`() {
        var backoff = RestartBackoff()
        var delays: [Int] = []
        while let delay = backoff.nextDelaySeconds(now: .now) { delays.append(delay) }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30])
    }

    @Test func `A server that dies soon after its start goes on with the delays`() {
        let start = ContinuousClock.now
        var backoff = RestartBackoff()
        #expect(backoff.nextDelaySeconds(now: start) == 1)
        backoff.started(now: start)
        #expect(backoff.nextDelaySeconds(now: start + .seconds(59)) == 2)
    }

    @Test func `A server that ran steadily begins with the first delay again`() {
        let start = ContinuousClock.now
        var backoff = RestartBackoff()
        _ = backoff.nextDelaySeconds(now: start)
        _ = backoff.nextDelaySeconds(now: start)
        backoff.started(now: start)
        #expect(backoff.nextDelaySeconds(now: start + .seconds(60)) == 1)
        #expect(backoff.nextDelaySeconds(now: start + .seconds(600)) == 2)
    }
}
