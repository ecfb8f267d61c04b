/// A fetch whose caller has been authenticated.
package struct AuthorizedFetch: Sendable {
    /// What authenticated the caller, and is spent by the fetch.
    package enum Proof: Sendable {
        /// An HMAC, and when its timestamp leaves the time window.
        case hmac(SpentDigest, expiresAt: Timestamp)
        /// A token: whether it asks for a reminder, its IdTransaction, and its MAC for the session.
        case token(isReminder: Bool, transaction: SpentDigest, mac: [UInt8])
    }

    /// The authentication code of the request.
    package enum Code: Sendable {
        /// The bank's scheme needs none.
        case notRequired
        /// It does not have the form of the bank's codes.
        case withoutForm
        /// Its MAC under each key that may have been used.
        case macs([[UInt8]])
    }

    package var bankId: Identifier
    /// The revision of the bank that the caller was authenticated with.
    package var bankRevision: Int64
    /// The bank's settings at that revision.
    package var settings: BankSettings
    package var uniqueId: Identifier
    package var proof: Proof
    package var code: Code
    /// The name of the session to open.
    package var sessionId: String
    /// SHA-256 of the right hash for each notify status: 0, 1 and 2.
    package var confirmations: [[UInt8]]

    /// The MAC of the cardholder's pass, if the bank's fetches need one; nil: there is none.
    package var passMAC: [UInt8]?

    package init(
        bankId: Identifier, bankRevision: Int64, settings: BankSettings, uniqueId: Identifier, proof: Proof, code: Code,
        sessionId: String, confirmations: [[UInt8]]
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.settings = settings
        self.uniqueId = uniqueId
        self.proof = proof
        self.code = code
        self.sessionId = sessionId
        self.confirmations = confirmations
    }

    package var channel: Channel {
        switch proof {
        case .hmac: .ac
        case .token: .token
        }
    }
}
