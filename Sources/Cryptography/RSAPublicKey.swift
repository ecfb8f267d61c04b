internal import COpenSSL
public import SecureMemory

/// A public RSA key (RFC 8017) for sealing and for checking signatures.
public final class RSAPublicKey: Sendable {
    /// The sizes of modulus that this module works with, in bits.
    public static let modulusBitsAllowed = 2048...8192

    /// The modulus' size in bits.
    public let modulusBits: Int
    /// The modulus, big-endian, no leading zero.
    public let modulus: [UInt8]
    /// The public exponent, big-endian, no leading zero.
    public let publicExponent: [UInt8]
    /// The DER SubjectPublicKeyInfo (RFC 5280, RFC 3279 section 2.3.1).
    public let subjectPublicKeyInfo: [UInt8]

    let key: EVPKey

    init(key: EVPKey) throws(CryptographyError) {
        guard key.isOfType(.rsa), Self.modulusBitsAllowed ~= key.bits else { throw failure(.invalidKey) }
        self.key = key
        modulusBits = key.bits
        modulus = try key.integer(OSSL_PKEY_PARAM_RSA_N)
        publicExponent = try key.integer(OSSL_PKEY_PARAM_RSA_E)
        subjectPublicKeyInfo = RSAKeyDER(modulus: modulus, publicExponent: publicExponent).encoded
        guard Self.isOdd(modulus), Self.isExponent(publicExponent, modulusBits: modulusBits) else {
            throw failure(.invalidKey)
        }
    }

    /// Reads a DER SubjectPublicKeyInfo with the algorithm rsaEncryption, in its one canonical form and with nothing
    /// after it; throws `invalidKey` for anything else.
    public convenience init(
        subjectPublicKeyInfo source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        guard let der = RSAKeyDER(source.publicCopy()) else { throw failure(.invalidKey) }
        try self.init(modulus: der.modulus, exponent: der.publicExponent)
    }

    /// Reads a PEM text (RFC 7468 section 13) of exactly one `PUBLIC KEY` block, whose content is that
    /// SubjectPublicKeyInfo; throws `invalidKey`.
    public convenience init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(subjectPublicKeyInfo: PEM.decodePublicKey(pem))
    }

    /// The key in PEM, with a line end after its last line.
    public func pem() -> String {
        PEM.text(of: subjectPublicKeyInfo, label: PEM.publicKeyLabel)
    }

    /// Makes a key of a modulus and a public exponent, both big-endian; throws `invalidKey`.
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        let number = BN_bin2bn(modulus, Int32(modulus.count), nil)
        defer { BN_free(number) }
        let power = BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer { BN_free(power) }
        try self.init(key: EVPKey(owning: card_companion_rsa_public_key(number, power)))
    }

    private static func isOdd(_ number: [UInt8]) -> Bool {
        number.last.map { $0 & 1 == 1 } ?? false
    }

    /// An odd number of at least 3, below 2^256 (SP 800-56B), and below 2^64 where the modulus is so long that OpenSSL
    /// computes with no longer exponents.
    private static func isExponent(_ exponent: [UInt8], modulusBits: Int) -> Bool {
        let byteCountAllowed = modulusBits > 3072 ? 8 : 32
        return isOdd(exponent) && exponent != [1] && exponent.count <= byteCountAllowed
    }
}

extension RSAPublicKey: Equatable {
    /// Whether both are the same key.
    public static func == (one: RSAPublicKey, other: RSAPublicKey) -> Bool {
        one.subjectPublicKeyInfo == other.subjectPublicKeyInfo
    }
}

extension RSAPublicKey {
    /// RSAES-OAEP (RFC 8017 section 7.1) with SHA-256 for the hash and for MGF1, and no label. Throws `invalidLength`
    /// where the plaintext is longer than the modulus allows (its bytes less 66).
    public func encryptOAEPSHA256(
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
    public func isValidPKCS1SHA256(
        signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        key.isValid(signature, for: message, digest: "SHA2-256", configure: RSAPadding.setPKCS1)
    }

    /// Whether `signature` is the RSASSA-PSS signature (RFC 8017 section 8.1) of `message` with SHA-512 for the hash
    /// and MGF1 and a salt of 64 bytes.
    public func isValidPSSSHA512(
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
