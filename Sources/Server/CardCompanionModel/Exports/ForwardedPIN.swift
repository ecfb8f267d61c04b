/// A defined PIN that a bank's connector hands to the bank's program. The PIN itself is not in it.
package struct ForwardedPIN: Sendable, Equatable {
    package let uniqueId: Identifier
    /// The id of its event `pin.defined`.
    package let event: String
    package let definedAt: Timestamp
    /// The last stage that was reported.
    package let stage: DefinedPINStage
    /// How often it has been handed out, with this time.
    package let attempt: Int

    package init(uniqueId: Identifier, event: String, definedAt: Timestamp, stage: DefinedPINStage, attempt: Int) {
        self.uniqueId = uniqueId
        self.event = event
        self.definedAt = definedAt
        self.stage = stage
        self.attempt = attempt
    }
}

/// What a bank's program says of a defined PIN.
package struct ForwardedPINReport: Sendable, Equatable {
    package let uniqueId: Identifier
    /// The id of its event `pin.defined`.
    package let event: String
    /// `pending`: the host does not have the PIN yet.
    package let stage: DefinedPINStage
    /// Why it failed; nil if it did not.
    package let reason: String?
    /// When the PIN is handed out again; nil: never.
    package let afterSeconds: Int?

    package init(
        uniqueId: Identifier, event: String, stage: DefinedPINStage, reason: String? = nil, afterSeconds: Int? = nil
    ) {
        self.uniqueId = uniqueId
        self.event = event
        self.stage = stage
        self.reason = reason
        self.afterSeconds = afterSeconds
    }
}

/// What became of a report.
package enum ForwardedPINOutcome: Sendable, Equatable {
    case reported
    /// It says what was known, or puts the PIN off.
    case unchanged
    /// The cardholder has another PIN now, or is gone.
    case otherPIN
}
