package import CardCompanionStore
internal import Synchronization

/// A limit on what a server does at once: for each bank, and for all together.
package final class BankQuota: Sendable {
    /// One place. It becomes free when this value is released.
    package final class Place: Sendable {
        private let quota: BankQuota
        private let bankId: Identifier

        fileprivate init(_ quota: BankQuota, _ bankId: Identifier) {
            self.quota = quota
            self.bankId = bankId
        }

        deinit {
            quota.release(bankId)
        }
    }

    private let limit: Int
    private let bankLimit: Int
    private let taken = Mutex<[Identifier: Int]>([:])

    /// - Parameters:
    ///   - limit: how many places there are.
    ///   - bankLimit: how many of them one bank can have.
    package init(limit: Int, bankLimit: Int) {
        self.limit = limit
        self.bankLimit = bankLimit
    }

    /// A place for a bank; nil if there is no free one.
    package func place(for bankId: Identifier) -> Place? {
        let isFree = taken.withLock { taken in
            let count = taken[bankId] ?? 0
            guard count < bankLimit, taken.values.reduce(0, +) < limit else { return false }
            taken[bankId] = count + 1
            return true
        }
        return isFree ? Place(self, bankId) : nil
    }

    private func release(_ bankId: Identifier) {
        taken.withLock { taken in
            let count = (taken[bankId] ?? 1) - 1
            taken[bankId] = count == 0 ? nil : count
        }
    }
}
