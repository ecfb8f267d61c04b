import CardCompanionModel
import Testing

@testable import CardCompanionWebhooks

@Suite("Webhook retry times")
struct WebhookRetryTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func pauses(attempts: Int, ageSeconds: Int64 = 0) -> [Double?] {
        var random = SystemRandomNumberGenerator()
        return (0..<200).map { _ in
            WebhookRetry.nextAttempt(
                attempts: attempts, pendingSince: Timestamp(seconds: now.seconds - ageSeconds), now: now, using: &random
            ).map { Double($0.microseconds - now.microseconds) / 1_000_000 }
        }
    }

    @Test(
        "The pause doubles from 5 seconds up to one hour, with 20 % random jitter",
        arguments: [(1, 5.0), (2, 10), (3, 20), (8, 640), (10, 2560), (11, 3600), (12, 3600), (1000, 3600)])
    func doubles(attempts: Int, seconds: Double) {
        let pauses = pauses(attempts: attempts).compactMap(\.self)
        #expect(pauses.count == 200)
        #expect(pauses.allSatisfy { 0.8 * seconds...1.2 * seconds ~= $0 })
        #expect(Set(pauses).count > 100)
    }

    @Test("An event is parked when it is three days old, and not one second earlier")
    func parked() {
        #expect(pauses(attempts: 50, ageSeconds: 3 * 86_400 - 1).allSatisfy { $0 != nil })
        #expect(pauses(attempts: 50, ageSeconds: 3 * 86_400).allSatisfy { $0 == nil })
        #expect(pauses(attempts: 1, ageSeconds: 4 * 86_400).allSatisfy { $0 == nil })
    }
}
