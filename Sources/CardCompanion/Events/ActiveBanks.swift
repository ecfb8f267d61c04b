internal import Synchronization

/// The banks that a server is telling, each by one task, and those that it leaves in peace because they did not answer.
final class ActiveBanks: Sendable {
    /// How long a bank that has taken nothing is left in peace, at first and at most.
    static let firstRest = Duration.seconds(1)
    static let longestRest = Duration.seconds(16)

    private struct Bank {
        var isActive = false
        var failures = 0
        var restsUntil = ContinuousClock.now
    }

    private let limit: Int
    private let banks = Mutex<[ExactText: Bank]>([:])

    /// - Parameter limit: how many banks are told at once.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a task may begin to tell the bank.
    func begin(_ bankId: String) -> Bool {
        banks.withLock { banks in
            var bank = banks[ExactText(bankId)] ?? Bank()
            guard !bank.isActive, bank.restsUntil <= .now, banks.values.count(where: \.isActive) < limit else {
                return false
            }
            bank.isActive = true
            banks[ExactText(bankId)] = bank
            return true
        }
    }

    /// A task has told the bank.
    ///
    /// - Parameter hasFailed: whether the bank has taken nothing of what it was told last.
    func end(_ bankId: String, hasFailed: Bool) {
        banks.withLock { banks in
            guard hasFailed else { return banks[ExactText(bankId)] = nil }
            var bank = banks[ExactText(bankId)] ?? Bank()
            bank.isActive = false
            bank.restsUntil = .now + min(Self.firstRest * (1 << bank.failures), Self.longestRest)
            bank.failures = min(bank.failures + 1, 8)
            banks[ExactText(bankId)] = bank
        }
    }
}
