/// Whether the issuer's host has a defined PIN, as the bank has reported it.
package enum DefinedPINStage: String, CaseIterable, Codable, Sendable {
    /// The bank has reported nothing.
    case pending
    case sent, effective, failed

    /// What a bank can report.
    package static let reported: [DefinedPINStage] = [.sent, .effective, .failed]
}

/// The PIN that a cardholder has defined, and what has become of it.
package struct DefinedPINState: Sendable, Equatable {
    /// The longest reason, in characters.
    package static let reasonLimit = 200

    /// The id of its event `pin.defined`.
    package let event: String
    package let stage: DefinedPINStage
    /// Why it failed, as the bank says.
    package let reason: String?
    /// When this stage began.
    package let at: Timestamp

    package init(event: String, stage: DefinedPINStage, reason: String?, at: Timestamp) {
        self.event = event
        self.stage = stage
        self.reason = reason
        self.at = at
    }
}

/// How a report of a bank ended.
package enum DefinedPINReport: Sendable, Equatable {
    case noCardholder
    /// The event is not that of the cardholder's present PIN.
    case otherPIN
    /// The cardholder's version, and since when the stage is so.
    case taken(version: Int64, at: Timestamp)
}
