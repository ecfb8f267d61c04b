package import SecureMemory

/// A public key that can be written as a SubjectPublicKeyInfo (RFC 5280 section 4.1).
package protocol EncodedPublicKey {
    /// The DER SubjectPublicKeyInfo.
    var subjectPublicKeyInfo: [UInt8] { get }

    /// Reads a DER SubjectPublicKeyInfo in exactly the form that ``subjectPublicKeyInfo`` has.
    ///
    /// - Throws: `invalidKey` for any other form, `invalidPoint` if the key is a point that cannot be used.
    init(subjectPublicKeyInfo: borrowing some ByteSource & ~Copyable) throws(CryptographyError)
}

extension EncodedPublicKey {
    /// Reads a PEM text (RFC 7468 section 13) with exactly one `PUBLIC KEY` block that contains such a
    /// SubjectPublicKeyInfo.
    ///
    /// - Throws: `invalidKey`, `invalidPoint`.
    package init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(subjectPublicKeyInfo: PEM.decodePublicKey(pem))
    }

    /// The key in PEM, with a line end at the end.
    package func pem() -> String {
        PEM.text(of: subjectPublicKeyInfo, label: PEM.publicKeyLabel)
    }
}

/// A private key that can be written as unencrypted PKCS#8 (RFC 5958).
package protocol EncodedPrivateKey {
    /// - Throws: `invalidKey` for another kind of key, and if its parts do not belong together. DER must have nothing after
    ///   the key. PEM can have text around it.
    init(privateKeyInfo: borrowing some ByteSource & ~Copyable, encoding: PrivateKeyEncoding) throws(CryptographyError)

    func privateKeyInfo(_ encoding: PrivateKeyEncoding) throws(CryptographyError) -> SecretBytes
}

/// The form of a private key.
package enum PrivateKeyEncoding: Sendable {
    case der
    /// A `PRIVATE KEY` block (RFC 7468 section 10).
    case pem
}

extension EncodedPrivateKey {
    /// Reads DER.
    ///
    /// - Throws: `invalidKey`.
    package init(pkcs8 der: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(privateKeyInfo: der, encoding: .der)
    }

    /// Reads PEM.
    ///
    /// - Throws: `invalidKey`.
    package init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(privateKeyInfo: pem, encoding: .pem)
    }

    /// The key in DER.
    package func pkcs8() throws(CryptographyError) -> SecretBytes { try privateKeyInfo(.der) }

    /// The key in PEM.
    package func pem() throws(CryptographyError) -> SecretBytes { try privateKeyInfo(.pem) }
}
