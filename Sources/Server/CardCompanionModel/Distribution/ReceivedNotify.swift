/// How a notify ended.
package enum NotifyOutcome: String, Codable, Sendable {
    /// The bank has changed since it was read. Nothing was written.
    case stale
    /// There is no such session, or it has expired.
    case noSession = "no-session"
    case wrongHash = "wrong-hash"
    /// The session already has another status.
    case decidedOtherwise = "decided-otherwise"
    /// The session has this status.
    case confirmed
}

/// A notify for an active bank.
package struct ReceivedNotify: Sendable {
    package var bankId: Identifier
    /// The revision at which the bank was active.
    package var bankRevision: Int64
    /// The bank's settings at that revision.
    package var settings: BankSettings
    package var uniqueId: Identifier
    /// Nil if the request's sessionId cannot be a session's.
    package var sessionId: Identifier?
    package var channel: Channel
    /// On the token channel: the token's MAC under each key that may have been used.
    package var tokenMACs: [[UInt8]]
    /// 0, 1 or 2.
    package var status: Int
    /// SHA-256 of the hash in the request; nil if that is not the hex of 32 bytes.
    package var confirmation: [UInt8]?

    package init(
        bankId: Identifier, bankRevision: Int64, settings: BankSettings, uniqueId: Identifier, sessionId: Identifier?,
        channel: Channel, tokenMACs: [[UInt8]], status: Int, confirmation: [UInt8]?
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.settings = settings
        self.uniqueId = uniqueId
        self.sessionId = sessionId
        self.channel = channel
        self.tokenMACs = tokenMACs
        self.status = status
        self.confirmation = confirmation
    }
}
