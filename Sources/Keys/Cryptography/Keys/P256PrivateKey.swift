internal import COpenSSL
package import SecureMemory

/// A private key on the curve P-256, for key agreement or for signing.
package final class P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey

    /// OpenSSL's name of the curve.
    private static let groupName = "prime256v1"

    let key: EVPKey

    private init(key: EVPKey) throws(CryptographyError) {
        let size = P256PublicKey.coordinateByteCount
        publicKey = try P256PublicKey(
            x: key.integer(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: size),
            y: key.integer(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: size))
        self.key = key
    }

    package static func generate() throws(CryptographyError) -> P256PrivateKey {
        let key = try EVPKey.generate(.ec) { EVP_PKEY_CTX_set_group_name($0, groupName) }
        return try P256PrivateKey(key: key)
    }

    /// Reads unencrypted DER PKCS#8 (RFC 5958, RFC 5915) with the named curve and nothing after it.
    ///
    /// - Throws: `invalidKey`, also if the private and the public part do not belong together.
    package convenience init(pkcs8 der: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(privateKeyInfo: der, encoding: .der)
    }

    /// Reads the same in PEM, a `PRIVATE KEY` block (RFC 7468 section 10).
    ///
    /// - Throws: `invalidKey`.
    package convenience init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(privateKeyInfo: pem, encoding: .pem)
    }

    private convenience init(
        privateKeyInfo source: borrowing some ByteSource & ~Copyable, encoding: EVPKey.Encoding
    ) throws(CryptographyError) {
        let key = try EVPKey(privateKeyInfo: source, encoding: encoding, type: .ec)
        guard Self.isOnNamedCurve(key) else { throw failure(.invalidKey) }
        try key.requirePair()
        try self.init(key: key)
    }

    /// The key as unencrypted DER PKCS#8.
    package func pkcs8() throws(CryptographyError) -> SecretBytes {
        try key.privateKeyInfo(.der)
    }

    /// The key as unencrypted PKCS#8 in PEM.
    package func pem() throws(CryptographyError) -> SecretBytes {
        try key.privateKeyInfo(.pem)
    }

    /// The elliptic curve Diffie-Hellman shared secret (SP 800-56A section 5.7.1.2): the x coordinate of the common
    /// point, 32 bytes. Do not use it as a key: derive a key from it.
    package func sharedSecret(with peer: P256PublicKey) throws(CryptographyError) -> SecretBytes {
        let context = try key.makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_derive_init(context), orThrow: .engineFailure)
        try require(EVP_PKEY_derive_set_peer(context, peer.key.pointer), orThrow: .invalidPoint)
        return try secretOutput(capacity: P256PublicKey.coordinateByteCount, orThrow: .engineFailure) { output, count in
            EVP_PKEY_derive(context, output, &count)
        }
    }

    private static func isOnNamedCurve(_ key: EVPKey) -> Bool {
        var name = [CChar](repeating: 0, count: groupName.utf8.count + 1)
        var isExplicit: Int32 = 1
        let explicitness = OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS
        return EVP_PKEY_get_group_name(key.pointer, &name, name.count, nil) == 1
            && name.dropLast().elementsEqual(groupName.utf8.map(CChar.init(bitPattern:)))
            && EVP_PKEY_get_int_param(key.pointer, explicitness, &isExplicit) == 1 && isExplicit == 0
    }
}
