import CardCompanionStore
import Testing

@testable import CardCompanion

@Suite("When a webhook is told again")
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
        "The pause doubles from five seconds to an hour, and is a fifth longer or shorter by chance",
        arguments: [(1, 5.0), (2, 10), (3, 20), (8, 640), (10, 2560), (11, 3600), (12, 3600), (1000, 3600)])
    func doubles(attempts: Int, seconds: Double) {
        let pauses = pauses(attempts: attempts).compactMap(\.self)
        #expect(pauses.count == 200)
        #expect(pauses.allSatisfy { 0.8 * seconds...1.2 * seconds ~= $0 })
        #expect(Set(pauses).count > 100)
    }

    @Test("After three days it is parked, and not a second before")
    func parked() {
        #expect(pauses(attempts: 50, ageSeconds: 3 * 86_400 - 1).allSatisfy { $0 != nil })
        #expect(pauses(attempts: 50, ageSeconds: 3 * 86_400).allSatisfy { $0 == nil })
        #expect(pauses(attempts: 1, ageSeconds: 4 * 86_400).allSatisfy { $0 == nil })
    }
}
