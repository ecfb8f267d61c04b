import Testing

@testable import Retries

@Suite struct BackOffTests {
    private let backOff = BackOff(first: .milliseconds(100), longest: .seconds(1), jitter: 0.5...1)

    @Test func `each wait doubles up to the limit, times a factor within the jitter`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            for (index, step) in [100, 200, 400, 800, 1_000, 1_000].enumerated() {
                let wait = backOff.delay(afterFailures: index + 1, using: &random)
                #expect(wait >= .milliseconds(step) / 2)
                #expect(wait <= .milliseconds(step))
            }
        }
    }

    @Test func `waits differ from each other`() {
        var random = SystemRandomNumberGenerator()
        let waits = (0..<100).map { _ in backOff.delay(afterFailures: 1, using: &random) }
        #expect(Set(waits).count > 1)
    }

    @Test func `without jitter the waits are exact`() {
        var random = SystemRandomNumberGenerator()
        let exact = BackOff(first: .seconds(5), longest: .seconds(3600))
        #expect(
            (1...3).map { exact.delay(afterFailures: $0, using: &random) } == [.seconds(5), .seconds(10), .seconds(20)])
    }

    @Test func `a thousand failures do not overflow`() {
        var random = SystemRandomNumberGenerator()
        #expect(backOff.delay(afterFailures: 1_000, using: &random) <= .seconds(1))
    }
}
