/// A master list that is trusted, and the root that has signed it.
package struct TrustListRecord: Sendable {
    /// The bank that trusts it instead of the list of all banks; nil: all banks.
    package let scope: Identifier?
    /// CMS, DER or BER.
    package let list: [UInt8]
    /// DER.
    package let root: [UInt8]
    /// SHA-256 of both, sealed.
    package let sealedDigest: [UInt8]
    package let signedAt: Timestamp
    package let importedAt: Timestamp

    package init(
        scope: Identifier?, list: [UInt8], root: [UInt8], sealedDigest: [UInt8], signedAt: Timestamp,
        importedAt: Timestamp
    ) {
        self.scope = scope
        self.list = list
        self.root = root
        self.sealedDigest = sealedDigest
        self.signedAt = signedAt
        self.importedAt = importedAt
    }
}

/// When trust lists were made, without their contents.
package struct TrustListSummary: Sendable, Equatable {
    package let scope: Identifier?
    package let signedAt: Timestamp
    package let importedAt: Timestamp
    /// How many revocation lists there are, and when the oldest of them was made.
    package let revocationListCount: Int
    package let oldestRevocationList: Timestamp?

    package init(
        scope: Identifier?, signedAt: Timestamp, importedAt: Timestamp, revocationListCount: Int,
        oldestRevocationList: Timestamp?
    ) {
        self.scope = scope
        self.signedAt = signedAt
        self.importedAt = importedAt
        self.revocationListCount = revocationListCount
        self.oldestRevocationList = oldestRevocationList
    }
}

/// A revocation list of an authority of a trust list.
package struct TrustRevocationListRecord: Sendable {
    package let scope: Identifier?
    /// SHA-256 of the issuer's name and the identifier of its key.
    package let issuer: [UInt8]
    /// SHA-256 of the list.
    package let digest: [UInt8]
    /// DER.
    package let list: [UInt8]
    package let thisUpdate: Timestamp
    /// The CRL number, big-endian, of 20 bytes; nil if there is none.
    package let number: [UInt8]?
    package let importedAt: Timestamp

    package init(
        scope: Identifier?, issuer: [UInt8], digest: [UInt8], list: [UInt8], thisUpdate: Timestamp, number: [UInt8]?,
        importedAt: Timestamp
    ) {
        self.scope = scope
        self.issuer = issuer
        self.digest = digest
        self.list = list
        self.thisUpdate = thisUpdate
        self.number = number
        self.importedAt = importedAt
    }
}
