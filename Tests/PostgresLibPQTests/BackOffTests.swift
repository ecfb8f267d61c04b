import Testing

@testable import PostgresLibPQ

@Suite struct BackOffTests {
    private let limits = PostgresBackOffLimits(initialMilliseconds: 100, maximumMilliseconds: 1_000)

    @Test func `each wait is from half of a step to the whole, and steps double up to the limit`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            var backOff = BackOff(limits)
            for step in [100, 200, 400, 800, 1_000, 1_000] {
                let wait = backOff.failed(using: &random)
                #expect(wait >= .milliseconds(step / 2))
                #expect(wait <= .milliseconds(step))
            }
        }
    }

    @Test func `waits are not all the same`() {
        var random = SystemRandomNumberGenerator()
        let waits = (0..<100).map { _ in
            var backOff = BackOff(limits)
            return backOff.failed(using: &random)
        }
        #expect(Set(waits).count > 1)
    }

    @Test func `after a success it begins anew`() {
        var random = SystemRandomNumberGenerator()
        var backOff = BackOff(limits)
        for _ in 0..<10 { _ = backOff.failed(using: &random) }
        backOff.succeeded()
        #expect(backOff.failed(using: &random) <= .milliseconds(100))
    }

    @Test func `a thousand failures overflow nothing`() {
        var random = SystemRandomNumberGenerator()
        var backOff = BackOff(limits)
        for _ in 0..<1_000 { #expect(backOff.failed(using: &random) <= .milliseconds(1_000)) }
        #expect(backOff.failures == 1_000)
    }
}
