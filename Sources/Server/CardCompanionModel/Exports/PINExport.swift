/// A defined PIN as the issuer's host needs it, made and sealed to the bank. It leaves the server if the store takes it.
package struct PINExport: Sendable {
    /// How many exports a cardholder and a PAN can have on a day (UTC; protocol, section 3).
    package static let dailyLimit = 3
    /// How many exports a bank can ask for in a second.
    package static let rateLimit = 10

    package let bankId: Identifier
    /// The revision of the bank that it was made with.
    package let bankRevision: Int64
    package let uniqueId: Identifier
    /// The id of the event of the PIN's definition, which tells it from every other PIN.
    package let definition: String
    package let pairing: PANPairing
    package let call: IdempotentCall
    /// A JWE to the bank's encryption certificate.
    package let answer: String
    /// What the event says: JSON.
    package let data: String

    package init(
        bankId: Identifier, bankRevision: Int64, uniqueId: Identifier, definition: String, pairing: PANPairing,
        call: IdempotentCall, answer: String, data: String
    ) {
        self.bankId = bankId
        self.bankRevision = bankRevision
        self.uniqueId = uniqueId
        self.definition = definition
        self.pairing = pairing
        self.call = call
        self.answer = answer
        self.data = data
    }
}

/// A PAN and its cardholder, as digests under a key of the bank's own.
package struct PANPairing: Sendable, Equatable {
    package let panDigest: [UInt8]
    package let cardholderDigest: [UInt8]

    package init(panDigest: [UInt8], cardholderDigest: [UInt8]) {
        self.panDigest = panDigest
        self.cardholderDigest = cardholderDigest
    }
}

/// How an export ended, in the order of the checks.
package enum PINExportOutcome: Sendable, Equatable {
    /// Another call with this Idempotency-Key is being served.
    case underWay
    /// A call with this Idempotency-Key was served meanwhile.
    case answered
    /// The bank has changed since the answer was made.
    case stale
    case noCardholder
    case noDefinedPIN
    case tooManyNow(retryAfterSeconds: Int)
    /// The PAN was exported for another cardholder, or another PAN for this one.
    case boundOtherwise
    case tooManyToday(retryAfterSeconds: Int)
    case exported
}

/// The PIN that a cardholder has now, if they have defined it.
package struct StoredChosenPIN: Sendable {
    /// Nil if the present PIN is not one that they have defined, or is gone.
    package let sealed: [UInt8]?
    /// The id of the event of the last definition; nil if there was none.
    package let event: String?

    package init(sealed: [UInt8]?, event: String?) {
        self.sealed = sealed
        self.event = event
    }
}
