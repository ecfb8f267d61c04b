/// A key that a bank's back-end signs its calls with.
package struct IssuerKeyRecord: Sendable, Equatable {
    /// `keyid`: unique among all banks.
    package let keyId: String
    package let bankId: Identifier
    /// The algorithm, as RFC 9421 names it.
    package let algorithm: String
    /// SubjectPublicKeyInfo; nil for a shared secret.
    package let publicKey: [UInt8]?
    /// The shared secret, sealed; nil for a public key.
    package let sealedSecret: [UInt8]?
    package let status: Activity
    package let createdAt: Timestamp

    package init(
        keyId: String, bankId: Identifier, algorithm: String, publicKey: [UInt8]?, sealedSecret: [UInt8]?,
        status: Activity, createdAt: Timestamp
    ) {
        self.keyId = keyId
        self.bankId = bankId
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.sealedSecret = sealedSecret
        self.status = status
        self.createdAt = createdAt
    }
}

/// Whether a call that was verified with a key is accepted.
package enum CallAcceptance: Sendable {
    /// The key is no longer what the call was verified with. Nothing was written.
    case keyChanged
    /// The nonce was spent before.
    case nonceSpent
    case accepted(CallingBank)
}

/// The bank of an accepted call, as the statement that accepted the call saw it.
package struct CallingBank: Sendable {
    package let id: Identifier
    /// See ``BankRecord/revision``.
    package let revision: Int64
    /// SHA-256 of each client certificate that is active and not revoked (mutual TLS).
    package let clientCertificates: [[UInt8]]

    package init(id: Identifier, revision: Int64, clientCertificates: [[UInt8]]) {
        self.id = id
        self.revision = revision
        self.clientCertificates = clientCertificates
    }
}
