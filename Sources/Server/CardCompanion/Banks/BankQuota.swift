package import CardCompanionModel
internal import Synchronization

/// A limit on what a server does at once. Each bank has one place of its own, which no other bank can take. Further places are
/// shared.
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

    private let banks: Int
    private let shared: Int
    private let bankLimit: Int
    private let taken = Mutex<[Identifier: Int]>([:])

    /// - Parameters:
    ///   - banks: how many banks can have their own place at once.
    ///   - shared: how many further places there are.
    ///   - bankLimit: how many places one bank can have, including its own.
    package init(banks: Int, shared: Int, bankLimit: Int) {
        self.banks = banks
        self.shared = shared
        self.bankLimit = bankLimit
    }

    /// A place for a bank; nil if there is no free one.
    package func place(for bankId: Identifier) -> Place? {
        let isFree = taken.withLock { taken in
            let count = taken[bankId] ?? 0
            let sharedCount = taken.values.reduce(0, +) - taken.count
            let isFree = count == 0 ? taken.count < banks : count < bankLimit && sharedCount < shared
            guard isFree else { return false }
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
