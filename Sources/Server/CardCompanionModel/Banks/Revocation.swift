/// What the revocation list of a certificate's issuer says about it.
package enum Revocation: Sendable, Equatable {
    /// The bank has no list of that issuer.
    case notChecked
    /// The list does not name the certificate. The list is valid until this time. After that it proves nothing.
    case good(until: Timestamp)
    case revoked

    package init(listEnds: Timestamp?, isListed: Bool) {
        self = isListed ? .revoked : listEnds.map { .good(until: $0) } ?? .notChecked
    }

    /// Whether the certificate may be used. After its list has expired it may not, because it could have been revoked since.
    package func allowsUse(at now: Timestamp) -> Bool {
        switch self {
        case .notChecked: true
        case .good(let until): now < until
        case .revoked: false
        }
    }
}

/// A revocation list of an issuer of a bank's certificates.
package struct RevocationListRecord: Sendable {
    /// RFC 2253.
    package let issuer: String
    package let thisUpdate: Timestamp
    /// The CRL number, big-endian, of 20 bytes; nil if there is none.
    package let number: [UInt8]?
    /// When it expires.
    package let nextUpdate: Timestamp
    package let importedAt: Timestamp

    package init(
        issuer: String, thisUpdate: Timestamp, number: [UInt8]?, nextUpdate: Timestamp, importedAt: Timestamp
    ) {
        self.issuer = issuer
        self.thisUpdate = thisUpdate
        self.number = number
        self.nextUpdate = nextUpdate
        self.importedAt = importedAt
    }
}

/// A revocation list with the serial numbers of the revoked certificates (DER).
package struct RevocationListContents: Sendable {
    package let record: RevocationListRecord
    package let serials: [[UInt8]]

    package init(record: RevocationListRecord, serials: [[UInt8]]) {
        self.record = record
        self.serials = serials
    }
}
