internal import COpenSSL
package import SecureMemory

/// A private key on the curve P-256, for key agreement or for signing.
package final class P256PrivateKey: EncodedPrivateKey, Sendable {
    package let publicKey: P256PublicKey

    let key: EVPKey

    private init(key: EVPKey) throws(CryptographyError) {
        let size = P256PublicKey.coordinateByteCount
        publicKey = try P256PublicKey(
            x: key.integer(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: size),
            y: key.integer(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: size))
        self.key = key
    }

    package static func generate() throws(CryptographyError) -> P256PrivateKey {
        try P256PrivateKey(key: .generateOnP256())
    }

    /// - Throws: `invalidKey`, also if the curve is not named, or the private and the public part do not belong together.
    package convenience init(
        privateKeyInfo source: borrowing some ByteSource & ~Copyable, encoding: PrivateKeyEncoding
    ) throws(CryptographyError) {
        let key = try EVPKey(privateKeyInfo: source, encoding: encoding, type: .ec)
        guard Self.isOnNamedCurve(key) else { throw failure(.invalidKey) }
        try key.requirePair()
        try self.init(key: key)
    }

    package func privateKeyInfo(_ encoding: PrivateKeyEncoding) throws(CryptographyError) -> SecretBytes {
        try key.privateKeyInfo(encoding)
    }

    /// The elliptic curve Diffie-Hellman shared secret (SP 800-56A section 5.7.1.2): the x coordinate of the common
    /// point, 32 bytes. Do not use it as a key: derive a key from it.
    package func sharedSecret(with peer: P256PublicKey) throws(CryptographyError) -> SecretBytes {
        try key.sharedSecret(with: peer.key, byteCount: P256PublicKey.coordinateByteCount)
    }

    private static func isOnNamedCurve(_ key: EVPKey) -> Bool {
        let groupName = NamedCurve.p256.rawValue
        var name = [CChar](repeating: 0, count: groupName.utf8.count + 1)
        var isExplicit: Int32 = 1
        let explicitness = OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS
        return EVP_PKEY_get_group_name(key.pointer, &name, name.count, nil) == 1
            && name.dropLast().elementsEqual(groupName.utf8.map(CChar.init(bitPattern:)))
            && EVP_PKEY_get_int_param(key.pointer, explicitness, &isExplicit) == 1 && isExplicit == 0
    }
}
