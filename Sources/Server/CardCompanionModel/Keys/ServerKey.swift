/// One of the server's own key pairs, sealed.
package struct ServerKeyRecord: Sendable {
    /// `kid` of sealed values: the key's thumbprint (RFC 7638).
    package let keyId: String
    package let kind: ServerKeyKind
    package let status: ServerKeyStatus
    /// PKCS#8, sealed; nil if the key was retired and erased.
    package let sealedKey: [UInt8]?
    /// The public half of a signing key, sealed: a DER SubjectPublicKeyInfo. It stays when the key is erased.
    package let sealedPublicKey: [UInt8]?
    package let createdAt: Timestamp
    /// When another key replaced it.
    package let demotedAt: Timestamp?
    /// When it left the published set.
    package let retiredAt: Timestamp?

    package init(
        keyId: String, kind: ServerKeyKind, status: ServerKeyStatus, sealedKey: [UInt8]?,
        sealedPublicKey: [UInt8]?, createdAt: Timestamp, demotedAt: Timestamp?, retiredAt: Timestamp?
    ) {
        self.keyId = keyId
        self.kind = kind
        self.status = status
        self.sealedKey = sealedKey
        self.sealedPublicKey = sealedPublicKey
        self.createdAt = createdAt
        self.demotedAt = demotedAt
        self.retiredAt = retiredAt
    }

    /// The same key with another status.
    package func with(status: ServerKeyStatus, retiredAt: Timestamp?) -> ServerKeyRecord {
        ServerKeyRecord(
            keyId: keyId, kind: kind, status: status, sealedKey: sealedKey, sealedPublicKey: sealedPublicKey,
            createdAt: createdAt, demotedAt: demotedAt, retiredAt: retiredAt)
    }
}

/// A new key pair of the server, sealed.
package struct NewServerKey: Sendable {
    package let keyId: String
    package let kind: ServerKeyKind
    package let sealedKey: [UInt8]
    /// Of a signing key.
    package let sealedPublicKey: [UInt8]?

    package init(keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], sealedPublicKey: [UInt8]?) {
        self.keyId = keyId
        self.kind = kind
        self.sealedKey = sealedKey
        self.sealedPublicKey = sealedPublicKey
    }
}
