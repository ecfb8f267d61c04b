/// What writing a cardholder did.
package struct WrittenCardholder: Sendable, Equatable {
    package enum Effect: String, CaseIterable, Codable, Sendable {
        case created, replaced
        /// The cardholder was already as the change wants it.
        case unchanged
        case deleted
    }

    /// What happened to a PIN that was sent.
    package enum PINEffect: String, Codable, Sendable {
        case taken
        /// It was taken before, or its version is not above the stored one.
        case unchanged
    }

    package let effect: Effect
    /// Nil after a deletion.
    package let version: Int64?
    /// Nil if no PIN was sent.
    package let pin: PINEffect?

    package init(effect: Effect, version: Int64?, pin: PINEffect?) {
        self.effect = effect
        self.version = version
        self.pin = pin
    }
}

/// How the writing of a cardholder ended.
package enum WriteOutcome: Sendable, Equatable {
    case done(WrittenCardholder)
    /// There is no such cardholder, and the change cannot create one.
    case absent
    case preconditionFailed
    /// The stored PIN has a version, and the one that was sent has none.
    case pinVersionMissing
    /// The PIN that was sent does not open, and was not taken before.
    case pinUnreadable
    /// A call with the same Idempotency-Key is being served.
    case underWay
    /// A call with the same Idempotency-Key was served a moment ago.
    case answered
}
