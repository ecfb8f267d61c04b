internal import COpenSSL
package import SecureMemory

/// A public RSA key (RFC 8017) for encryption and for checking signatures.
package final class RSAPublicKey: EncodedPublicKey, Sendable {
    /// The sizes of the modulus that this module supports, in bits.
    package static let modulusBitsAllowed = 2048...8192

    package let modulusBits: Int
    /// The modulus, big-endian, no leading zero.
    package let modulus: [UInt8]
    /// The public exponent, big-endian, no leading zero.
    package let publicExponent: [UInt8]
    /// The DER SubjectPublicKeyInfo (RFC 5280, RFC 3279 section 2.3.1).
    package var subjectPublicKeyInfo: [UInt8] { RSAKeyDER(modulus: modulus, publicExponent: publicExponent).encoded }

    let key: EVPKey

    convenience init(key: EVPKey) throws(CryptographyError) {
        guard key.isOfType(.rsa) else { throw failure(.invalidKey) }
        try self.init(
            key: key, modulus: key.integer(OSSL_PKEY_PARAM_RSA_N), exponent: key.integer(OSSL_PKEY_PARAM_RSA_E))
    }

    /// - Parameters: modulus, exponent: the key's, without leading zeros.
    private init(key: EVPKey, modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        guard Self.modulusBitsAllowed ~= key.bits else { throw failure(.invalidKey) }
        self.key = key
        modulusBits = key.bits
        self.modulus = modulus
        publicExponent = exponent
        guard modulus.isOddNumber, Self.isExponent(publicExponent, modulusBits: modulusBits) else {
            throw failure(.invalidKey)
        }
    }

    /// Reads a DER SubjectPublicKeyInfo with the algorithm rsaEncryption, in its canonical form and with nothing after
    /// it.
    ///
    /// - Throws: `invalidKey` for anything else.
    package convenience init(
        subjectPublicKeyInfo source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        guard let der = RSAKeyDER(source.publicCopy()) else { throw failure(.invalidKey) }
        try self.init(modulus: der.modulus, exponent: der.publicExponent)
    }

    /// Makes a key from a modulus and a public exponent, both big-endian.
    ///
    /// - Throws: `invalidKey`.
    package convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        try self.init(
            key: EVPKey.rsaPublicKey(modulus: modulus, exponent: exponent), modulus: modulus.withoutLeadingZeros(),
            exponent: exponent.withoutLeadingZeros())
    }

    /// Whether the exponent is an odd number of at least 3 and below 2^256 (SP 800-56B). If the modulus has more than
    /// 3072 bits, OpenSSL allows only exponents below 2^64.
    private static func isExponent(_ exponent: [UInt8], modulusBits: Int) -> Bool {
        let byteCountAllowed = modulusBits > 3072 ? 8 : 32
        return exponent.isOddNumber && exponent != [1] && exponent.count <= byteCountAllowed
    }
}

extension RSAPublicKey: Equatable {
    package static func == (one: RSAPublicKey, other: RSAPublicKey) -> Bool {
        one.modulus == other.modulus && one.publicExponent == other.publicExponent
    }
}

extension RSAPublicKey {
    /// Encrypts with RSAES-OAEP (RFC 8017 section 7.1) with SHA-256 for the hash and for MGF1, and no label.
    ///
    /// - Throws: `invalidLength` if the plaintext has more bytes than the modulus less 66.
    package func encryptOAEPSHA256(
        _ plaintext: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        let context = try key.makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_encrypt_init(context), orThrow: .engineFailure)
        try RSAPadding.setOAEPSHA256(context)
        return try plaintext.withOctets { (bytes, byteCount) throws(CryptographyError) in
            try publicOutput(capacity: key.outputByteCount, orThrow: .invalidLength) { output, count in
                EVP_PKEY_encrypt(context, output, &count, bytes, byteCount)
            }
        }
    }

    /// Whether `signature` is the RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2) of `message` with SHA-256.
    package func isValidPKCS1SHA256(
        signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        key.isValid(signature, for: message, digest: "SHA2-256", configure: RSAPadding.setPKCS1)
    }

    /// Whether `signature` is the RSASSA-PSS signature (RFC 8017 section 8.1) of `message` with SHA-512 for the hash
    /// and MGF1 and a salt of 64 bytes.
    package func isValidPSSSHA512(
        signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        key.isValid(signature, for: message, digest: "SHA2-512", configure: RSAPadding.setPSSSHA512)
    }
}

/// The paddings of RFC 8017, set on a context.
enum RSAPadding {
    static func setOAEPSHA256(_ context: OpaquePointer?) throws(CryptographyError) {
        try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING), orThrow: .engineFailure)
        try require(EVP_PKEY_CTX_set_rsa_oaep_md(context, Fetched.sha256), orThrow: .engineFailure)
        try require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, Fetched.sha256), orThrow: .engineFailure)
    }

    static func setPKCS1(_ context: OpaquePointer?) throws(CryptographyError) {
        try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), orThrow: .engineFailure)
    }

    static func setPSSSHA512(_ context: OpaquePointer?) throws(CryptographyError) {
        try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING), orThrow: .engineFailure)
        try require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, Fetched.sha512), orThrow: .engineFailure)
        try require(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(SHA512.byteCount)), orThrow: .engineFailure)
    }
}
