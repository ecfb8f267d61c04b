internal import CardCompanionModel
internal import Retries

/// When an event that the bank has not accepted is sent again.
enum WebhookRetry {
    /// After how long an event is parked.
    static let giveUpSeconds: Int64 = 3 * 86_400
    static let backOff = BackOff(first: .seconds(5), longest: .seconds(3600), jitter: 0.8...1.2)

    /// The time of the next attempt; nil parks the event.
    static func nextAttempt(
        attempts: Int, pendingSince: Timestamp, now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> Timestamp? {
        guard now.seconds - pendingSince.seconds < giveUpSeconds else { return nil }
        let pause = backOff.delay(afterFailures: attempts, using: &random) / .microseconds(1)
        return Timestamp(microseconds: now.microseconds + Int64(pause))
    }
}
