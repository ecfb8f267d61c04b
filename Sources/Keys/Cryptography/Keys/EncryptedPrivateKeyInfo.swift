internal import COpenSSL
internal import SecureMemory

// Private keys that a passphrase protects: EncryptedPrivateKeyInfo (RFC 5958 section 3) in PEM (RFC 7468 section 11), with PBES2
// (RFC 8018): AES-256-CBC under a key of PBKDF2 with HMAC-SHA-256.

extension EVPKey {
    private static let saltByteCount = 16
    private static let ivByteCount = 16

    func encryptedPrivateKeyInfo(
        passphrase: borrowing SecretBytes, iterationCount: Int32
    ) throws(CryptographyError) -> [UInt8] {
        let info = try require(EVP_PKEY2PKCS8(pointer))
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        var salt = SecureRandom.bytes(count: Self.saltByteCount)
        var iv = SecureRandom.bytes(count: Self.ivByteCount)
        let algorithm = try require(
            PKCS5_pbe2_set_iv(
                EVP_aes_256_cbc(), iterationCount, &salt, Int32(salt.count), &iv, NID_hmacWithSHA256))
        let encrypted = passphrase.withBytes { bytes in
            PKCS8_set0_pbe(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), info, algorithm)
        }
        // It owns the algorithm now. If it failed, the algorithm is lost, which is a few bytes.
        let signature = try require(encrypted)
        defer { X509_SIG_free(signature) }
        let output = try require(BIO_new(BIO_s_mem()))
        defer { BIO_free(output) }
        try require(PEM_write_bio_PKCS8(output, signature), orThrow: .engineFailure)
        var content: UnsafeMutablePointer<CChar>?
        let byteCount = card_companion_bio_content(output, &content)
        return UnsafeRawBufferPointer(start: content, count: byteCount).map(\.self)
    }

    /// Opens an encrypted key. There can be text around the PEM.
    ///
    /// - Throws: `invalidKey`, also for a wrong passphrase.
    convenience init(
        encryptedPrivateKeyInfo pem: [UInt8], passphrase: borrowing SecretBytes
    ) throws(CryptographyError) {
        let encrypted = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return PEM_read_bio_PKCS8(input, nil, nil, nil)
        }
        let signature = try require(encrypted, orThrow: .invalidKey)
        defer { X509_SIG_free(signature) }
        let opened = passphrase.withBytes { bytes in
            PKCS8_decrypt(signature, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
        }
        let info = try require(opened, orThrow: .invalidKey)
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        try self.init(owning: EVP_PKCS82PKEY(info))
    }
}
