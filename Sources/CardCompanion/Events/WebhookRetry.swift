internal import CardCompanionStore

/// When an event that the bank has not taken is told again.
struct WebhookRetry: Sendable {
    /// After how long an event is parked.
    static let giveUpSeconds: Int64 = 3 * 86_400
    private static let firstPauseSeconds = 5.0
    private static let longestPauseSeconds = 3600.0
    private static let jitter = 0.2

    /// The time of the next try; nil parks the event.
    static func nextAttempt(
        attempts: Int, pendingSince: Timestamp, now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> Timestamp? {
        guard now.seconds - pendingSince.seconds < giveUpSeconds else { return nil }
        let doublings = Double(1 << min(max(attempts - 1, 0), 16))
        let pause = min(firstPauseSeconds * doublings, longestPauseSeconds)
        let spread = Double.random(in: 1 - jitter...1 + jitter, using: &random)
        return Timestamp(microseconds: now.microseconds + Int64(pause * spread * 1_000_000))
    }
}
