internal import CardCompanionModel
internal import Synchronization

/// The place of a request among those that are served at once. It is charged to the request's bank when that is authenticated.
final class RequestPlace: Sendable {
    @TaskLocal static var current: RequestPlace?

    let begin = ContinuousClock.now
    let priority: RequestPriority
    private let admission: Admission
    private let bankId = Mutex<Identifier?>(nil)

    init(_ priority: RequestPriority, _ admission: Admission) {
        self.priority = priority
        self.admission = admission
    }

    /// Charges the place of this task's request to a bank. Call it before anything of the request is used, and only for an
    /// authenticated caller: a stranger must not use up a bank's share.
    ///
    /// - Throws: ``Overloaded`` if the bank has more than its share.
    static func charge(to bankId: Identifier) throws(Overloaded) {
        try current?.charge(to: bankId)
    }

    /// The request was a repetition, with a proof that was spent before: it does not count in its bank's rate. Whoever has seen one
    /// request of a bank could otherwise use up the rate.
    static func noteRepetition() {
        guard let current, let bankId = current.bank else { return }
        current.admission.putBack(of: bankId)
    }

    /// Refuses a request that names a bank without room, before its caller is authenticated. It is charged to nobody, so a stranger
    /// uses up nothing.
    ///
    /// - Throws: ``Overloaded`` if the bank has more than its share.
    static func requireRoom(of bankId: Identifier) throws(Overloaded) {
        guard let current, current.bank == nil else { return }
        try current.admission.requireRoom(of: bankId, for: current)
    }

    /// Which bank's it is; nil if it was not charged.
    var bank: Identifier? { bankId.withLock(\.self) }

    private func charge(to bankId: Identifier) throws(Overloaded) {
        // A request is authenticated again if its bank has changed meanwhile.
        guard bank == nil else { return }
        try admission.charge(self, to: bankId)
        self.bankId.withLock { $0 = bankId }
    }
}
