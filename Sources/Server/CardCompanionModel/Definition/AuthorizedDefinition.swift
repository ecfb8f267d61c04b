/// A definition whose caller has been authenticated, and whose PIN has been checked.
package struct AuthorizedDefinition: Sendable {
    /// What authenticated the caller, and is spent by the definition.
    package enum Proof: Sendable {
        /// An HMAC, and when its timestamp leaves the time window.
        case hmac(SpentDigest, expiresAt: Timestamp)
        /// A token's IdTransaction, and until when it is refused.
        case token(SpentDigest, expiresAt: Timestamp)
    }

    /// What the cardholder has chosen.
    package enum Choice: Sendable {
        /// It did not open, or the bank does not allow it: the definition only spends the token.
        case refused
        case digits(DefinedPIN)
        /// Indexes into a keypad: the keypad that they were read with, if there is one, and the PIN, if the bank allows it.
        case indexes(Keypad?, DefinedPIN?)
    }

    /// A keypad that the server has handed out. A definition spends it.
    package struct Keypad: Sendable {
        package let digest: SpentDigest
        /// Until when it is refused once it is spent.
        package let expiresAt: Timestamp

        package init(digest: SpentDigest, expiresAt: Timestamp) {
            self.digest = digest
            self.expiresAt = expiresAt
        }
    }

    /// A PIN that the bank allows.
    package struct DefinedPIN: Sendable {
        /// Sealed for the store.
        package let sealed: [UInt8]
        /// A JWE to the bank's encryption certificate, for the event; nil if the bank has no valid certificate.
        package let forBank: String?
        /// The id of the event, which the JWE names.
        package let eventId: String

        package init(sealed: [UInt8], forBank: String?, eventId: String) {
            self.sealed = sealed
            self.forBank = forBank
            self.eventId = eventId
        }
    }

    package var bankId: Identifier
    /// The revision of the bank that the caller was authenticated with.
    package var bankRevision: Int64
    /// The bank's settings at that revision.
    package var settings: BankSettings
    /// Nil if the request's uniqueId cannot be a cardholder's.
    package var uniqueId: Identifier?
    package var proof: Proof
    /// Whether the bank has a valid certificate to seal the PIN to.
    package var canDeliver: Bool
    package var choice: Choice

    /// How the cardholder's choice was sent.
    package enum Entry: Sendable, Equatable {
        case digits, indexes
    }

    package var entry: Entry

    /// Whether the bank allows definitions in this way, and can get a PIN that it must get.
    package var isPossible: Bool {
        settings.definition && isAllowedEntry && (settings.definedPINs == .keep || canDeliver)
    }

    /// Whether cardholders of the bank can send their choice in this way.
    package var isAllowedEntry: Bool {
        switch entry {
        case .digits: settings.definitionBy.allowsDigits
        case .indexes: settings.definitionBy.allowsIndexes
        }
    }

    package var channel: Channel {
        switch proof {
        case .hmac: .ac
        case .token: .token
        }
    }

    /// The MAC of the cardholder's pass, if the bank's definitions need one; nil: there is none.
    package var passMAC: [UInt8]?

    package init(
        bankId: Identifier, bankRevision: Int64, settings: BankSettings, uniqueId: Identifier?, proof: Proof,
        entry: Entry, canDeliver: Bool, choice: Choice
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.settings = settings
        self.uniqueId = uniqueId
        self.proof = proof
        self.entry = entry
        self.canDeliver = canDeliver
        self.choice = choice
    }
}
