internal import COpenSSL
package import SecureMemory

/// A private key for Ed25519 signatures (RFC 8032 section 5.1).
package final class Ed25519PrivateKey: EncodedPrivateKey, Sendable {
    package let publicKey: Ed25519PublicKey

    private let key: EVPKey

    private init(key: EVPKey) throws(CryptographyError) {
        let point = try publicOutput(capacity: Ed25519PublicKey.byteCount, orThrow: .invalidKey) { output, count in
            EVP_PKEY_get_raw_public_key(key.pointer, output, &count)
        }
        publicKey = try Ed25519PublicKey(rawRepresentation: point)
        self.key = key
    }

    package static func generate() throws(CryptographyError) -> Ed25519PrivateKey {
        try Ed25519PrivateKey(key: EVPKey.generate(.ed25519))
    }

    package convenience init(
        privateKeyInfo source: borrowing some ByteSource & ~Copyable, encoding: PrivateKeyEncoding
    ) throws(CryptographyError) {
        try self.init(key: EVPKey(privateKeyInfo: source, encoding: encoding, type: .ed25519))
    }

    package func privateKeyInfo(_ encoding: PrivateKeyEncoding) throws(CryptographyError) -> SecretBytes {
        try key.privateKeyInfo(encoding)
    }

    /// How often PBKDF2 repeats its hash to make a key from a passphrase.
    package static let passphraseIterationCount = 600_000

    /// The key in PEM, encrypted under a passphrase: `ENCRYPTED PRIVATE KEY` (PBES2 with AES-256-CBC and PBKDF2).
    package func encryptedPEM(passphrase: borrowing SecretBytes) throws(CryptographyError) -> [UInt8] {
        try key.encryptedPrivateKeyInfo(
            passphrase: passphrase, iterationCount: Int32(Self.passphraseIterationCount))
    }

    /// Opens what ``encryptedPEM(passphrase:)`` makes.
    ///
    /// - Throws: `invalidKey` for another kind of key, and for a wrong passphrase.
    package convenience init(
        encryptedPEM pem: [UInt8], passphrase: borrowing SecretBytes
    ) throws(CryptographyError) {
        let key = try EVPKey(encryptedPrivateKeyInfo: pem, passphrase: passphrase)
        guard key.isOfType(.ed25519) else { throw failure(.invalidKey) }
        try self.init(key: key)
    }

    /// The signature of `message`, 64 bytes. It is deterministic: the same message always has the same signature.
    package func sign(_ message: borrowing some ByteSource & ~Copyable) throws(CryptographyError) -> [UInt8] {
        try key.sign(message, digest: nil)
    }
}
