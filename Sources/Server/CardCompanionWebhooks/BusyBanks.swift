internal import CardCompanionModel
internal import Retries
internal import Synchronization

/// The banks that this server is sending to, each in one task, and those that it skips because they did not answer.
final class BusyBanks: Sendable {
    /// How long a bank is skipped after it has accepted nothing.
    static let rest = BackOff(first: .seconds(1), longest: .seconds(16))

    private struct Bank {
        var isActive = false
        var failures = 0
        var restsUntil: ContinuousClock.Instant?
    }

    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let banks = Mutex<[Identifier: Bank]>([:])

    /// - Parameter limit: how many banks can be active at once.
    init(limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limit = limit
        self.now = now
    }

    /// Whether a task can start to send to the bank.
    func begin(_ bankId: Identifier) -> Bool {
        banks.withLock { banks in
            var bank = banks[bankId] ?? Bank()
            let isResting = bank.restsUntil.map { now() < $0 } ?? false
            guard !bank.isActive, !isResting, banks.values.count(where: \.isActive) < limit else { return false }
            bank.isActive = true
            banks[bankId] = bank
            return true
        }
    }

    /// The task has ended.
    ///
    /// - Parameter hasFailed: whether the bank accepted none of the last events.
    func end(_ bankId: Identifier, hasFailed: Bool) {
        banks.withLock { banks in
            guard hasFailed else { return banks[bankId] = nil }
            var random = SystemRandomNumberGenerator()
            var bank = banks[bankId] ?? Bank()
            bank.isActive = false
            bank.failures += 1
            bank.restsUntil = now() + Self.rest.delay(afterFailures: bank.failures, using: &random)
            banks[bankId] = bank
        }
    }
}
