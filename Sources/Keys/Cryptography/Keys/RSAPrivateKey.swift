internal import COpenSSL
package import SecureMemory

/// A private RSA key (RFC 8017) for decryption and signatures.
package final class RSAPrivateKey: EncodedPrivateKey, Sendable {
    package let publicKey: RSAPublicKey

    private let key: EVPKey

    private init(key: EVPKey) throws(CryptographyError) {
        publicKey = try RSAPublicKey(key: key)
        self.key = key
    }

    /// Generates a key with the public exponent 65537. This takes from a tenth of a second (2048 bits) to some seconds.
    ///
    /// - Throws: `invalidKey` for a size outside ``RSAPublicKey/modulusBitsAllowed``.
    package static func generate(bits: Int) throws(CryptographyError) -> RSAPrivateKey {
        guard RSAPublicKey.modulusBitsAllowed ~= bits else { throw failure(.invalidKey) }
        let key = try EVPKey.generate(.rsa) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }
        return try RSAPrivateKey(key: key)
    }

    /// The key must come from a trusted source: damage is noticed, but not well-chosen factors that are not prime.
    ///
    /// - Throws: `invalidKey`, also if the parts of the key do not belong together, or if the public part does not verify what
    ///   the private part signs.
    package convenience init(
        privateKeyInfo source: borrowing some ByteSource & ~Copyable, encoding: PrivateKeyEncoding
    ) throws(CryptographyError) {
        let key = try EVPKey(privateKeyInfo: source, encoding: encoding, type: .rsa)
        try self.init(key: key)
        try RSAKeyParts(of: key).requireTogether()
        let trial = SecureRandom.bytes(count: 32)
        guard try publicKey.isValidPKCS1SHA256(signature: signPKCS1SHA256(trial), for: trial) else {
            throw failure(.invalidKey)
        }
    }

    package func privateKeyInfo(_ encoding: PrivateKeyEncoding) throws(CryptographyError) -> SecretBytes {
        try key.privateKeyInfo(encoding)
    }

    /// Signs a new certificate with SHA-256.
    func sign(certificate: OpaquePointer) throws(CryptographyError) {
        guard X509_sign(certificate, key.pointer, Fetched.sha256) > 0 else { throw failure(.engineFailure) }
    }
}

extension RSAPrivateKey {
    /// Decrypts RSAES-OAEP (RFC 8017 section 7.1) with SHA-256 for the hash and for MGF1, and no label.
    ///
    /// - Throws: `decryptionFailed` for every invalid ciphertext, whatever is wrong with it.
    package func decryptOAEPSHA256(
        _ ciphertext: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        let context = try key.makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_decrypt_init(context), orThrow: .engineFailure)
        try RSAPadding.setOAEPSHA256(context)
        return try ciphertext.withOctets { (bytes, byteCount) throws(CryptographyError) in
            try secretOutput(capacity: key.outputByteCount, orThrow: .decryptionFailed) { output, count in
                EVP_PKEY_decrypt(context, output, &count, bytes, byteCount)
            }
        }
    }

    /// The RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2) of `message` with SHA-256.
    package func signPKCS1SHA256(
        _ message: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        try key.sign(message, digest: "SHA2-256", configure: RSAPadding.setPKCS1)
    }

    /// The RSASSA-PSS signature (RFC 8017 section 8.1) of `message` with SHA-512 for the hash and MGF1 and a salt of
    /// 64 bytes.
    package func signPSSSHA512(
        _ message: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        try key.sign(message, digest: "SHA2-512", configure: RSAPadding.setPSSSHA512)
    }
}
