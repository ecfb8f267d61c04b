internal import COpenSSL

/// A public RSA key that verifies the signatures of others: of issuing states, of their document signers and of chips. It
/// takes shorter keys and other paddings than ``RSAPublicKey``, because this program cannot change them.
package final class RSAVerificationKey: Sendable {
    /// The sizes of the modulus that this module supports, in bits.
    package static let modulusBitsAllowed = 1024...8192

    package let modulusBits: Int
    /// The length of a signature.
    package var modulusByteCount: Int { (modulusBits + 7) / 8 }

    private let key: EVPKey

    /// - Parameters: modulus and exponent: big-endian.
    /// - Throws: `invalidKey` if the modulus is even or its size is not allowed, or the exponent is even, 1, or longer than
    ///   64 bits.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        let power = exponent.withoutLeadingZeros()
        guard modulus.count <= Self.modulusBitsAllowed.upperBound / 8 + 1, power.count <= 8, modulus.isOddNumber,
            power.isOddNumber, power != [1]
        else { throw failure(.invalidKey) }
        key = try EVPKey.rsaPublicKey(modulus: modulus, exponent: exponent)
        modulusBits = key.bits
        guard Self.modulusBitsAllowed ~= modulusBits else { throw failure(.invalidKey) }
    }

    /// Whether this is the RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2) of a message with this hash.
    package func isValidPKCS1(signature: [UInt8], digest: [UInt8], hash: HashAlgorithm) -> Bool {
        guard signature.count == modulusByteCount else { return false }
        return key.isValid(signature, forDigest: digest) { (context) throws(CryptographyError) in
            try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), orThrow: .engineFailure)
            try require(EVP_PKEY_CTX_set_signature_md(context, hash.fetched), orThrow: .engineFailure)
        }
    }

    /// Whether this is the RSASSA-PSS signature (RFC 8017 section 8.1) of a message with this hash.
    ///
    /// - Parameters:
    ///   - maskHash: the hash of MGF1.
    ///   - saltByteCount: exactly this length is accepted.
    package func isValidPSS(
        signature: [UInt8], digest: [UInt8], hash: HashAlgorithm, maskHash: HashAlgorithm, saltByteCount: Int
    ) -> Bool {
        guard signature.count == modulusByteCount, 0...modulusByteCount ~= saltByteCount else { return false }
        return key.isValid(signature, forDigest: digest) { (context) throws(CryptographyError) in
            try require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING), orThrow: .engineFailure)
            try require(EVP_PKEY_CTX_set_signature_md(context, hash.fetched), orThrow: .engineFailure)
            try require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, maskHash.fetched), orThrow: .engineFailure)
            try require(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(saltByteCount)), orThrow: .engineFailure)
        }
    }

    /// The result of the public RSA operation (RSAVP1, RFC 8017 section 5.2.2) at full length, for signatures with
    /// message recovery. Nil if the signature is not as long as the modulus, or not less than it.
    package func recover(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == modulusByteCount, let context = try? key.makeContext() else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        defer { ERR_clear_error() }
        guard EVP_PKEY_encrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
        else { return nil }
        return try? publicOutput(capacity: modulusByteCount, orThrow: .invalidLength) { output, count in
            EVP_PKEY_encrypt(context, output, &count, signature, signature.count)
        }
    }
}
