/// The public half of a token's key that signs seals of the audit trail, sealed.
package struct SealKeyRecord: Sendable {
    /// The key's thumbprint (RFC 7638).
    package let keyId: String
    /// A DER SubjectPublicKeyInfo, sealed.
    package let sealedPublicKey: [UInt8]

    package init(keyId: String, sealedPublicKey: [UInt8]) {
        self.keyId = keyId
        self.sealedPublicKey = sealedPublicKey
    }
}
