/// A check that a bank asks for: a client, a cardholder, and what is expected of the document.
package struct IdentityCheckRecord: Sendable {
    package let bankId: Identifier
    package let uniqueId: Identifier
    package let clientId: String
    /// Of the validationId.
    package let validation: SpentDigest
    /// Key id and MAC of what is expected.
    package let expectationMAC: [UInt8]
    package let expectation: IdentityExpectation
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        bankId: Identifier, uniqueId: Identifier, clientId: String, validation: SpentDigest, expectationMAC: [UInt8],
        expectation: IdentityExpectation, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.clientId = clientId
        self.validation = validation
        self.expectationMAC = expectationMAC
        self.expectation = expectation
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The outcome of a request for a check.
package enum NewCheckOutcome: String, Sendable {
    case created
    /// The bank has no such cardholder, or the cardholder is closed.
    case noCardholder = "no-cardholder"
    /// The bank has no such client, or it is disabled, or unbound.
    case noClient = "no-client"
}

/// A session of a check. No other session of the check can begin before it ends.
package struct IdentitySession: Sendable {
    package let bankId: Identifier
    package let uniqueId: Identifier
    package let validation: SpentDigest
    /// Random: names this session of the check.
    package let sessionId: String
    package let expectationMAC: [UInt8]
    package let expectation: IdentityExpectation

    package init(
        bankId: Identifier, uniqueId: Identifier, validation: SpentDigest, sessionId: String, expectationMAC: [UInt8],
        expectation: IdentityExpectation
    ) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.validation = validation
        self.sessionId = sessionId
        self.expectationMAC = expectationMAC
        self.expectation = expectation
    }
}

/// A cardholder's pass: their document has passed.
package struct IdentityPassRecord: Sendable {
    /// Of the validationId of its check.
    package let validation: SpentDigest
    package let passedAt: Timestamp
    package let expiresAt: Timestamp
    /// Key id and MAC of the cardholder, the check and the times.
    package let mac: [UInt8]

    package init(validation: SpentDigest, passedAt: Timestamp, expiresAt: Timestamp, mac: [UInt8]) {
        self.validation = validation
        self.passedAt = passedAt
        self.expiresAt = expiresAt
        self.mac = mac
    }
}
