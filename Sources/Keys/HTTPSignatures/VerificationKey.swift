package import Cryptography
package import SecureMemory

/// A key that verifies signatures, for one algorithm, whatever algorithm a message names.
package enum VerificationKey: Sendable {
    case ecdsaP256SHA256(P256PublicKey)
    case ed25519(Ed25519PublicKey)
    /// For rsa-pss-sha512.
    case rsaPSSSHA512(RSAPublicKey)
    /// For rsa-v1_5-sha256.
    case rsaPKCS1SHA256(RSAPublicKey)
    case hmacSHA256(HMACKey)

    /// Reads a DER SubjectPublicKeyInfo.
    ///
    /// - Throws: `invalidKey` if it is not a valid key for the algorithm.
    package init(
        _ algorithm: SignatureAlgorithm, subjectPublicKeyInfo der: borrowing some ByteSource & ~Copyable
    ) throws(SignatureError) {
        let key: VerificationKey? =
            switch algorithm {
            case .ecdsaP256SHA256: (try? P256PublicKey(subjectPublicKeyInfo: der)).map { .ecdsaP256SHA256($0) }
            case .ed25519: (try? Ed25519PublicKey(subjectPublicKeyInfo: der)).map { .ed25519($0) }
            case .rsaPSSSHA512: (try? RSAPublicKey(subjectPublicKeyInfo: der)).map { .rsaPSSSHA512($0) }
            case .rsaPKCS1SHA256: (try? RSAPublicKey(subjectPublicKeyInfo: der)).map { .rsaPKCS1SHA256($0) }
            case .hmacSHA256: nil
            }
        guard let key else { throw SignatureError(.invalidKey(algorithm)) }
        self = key
    }

    /// Reads a `PUBLIC KEY` block in PEM.
    ///
    /// - Throws: `invalidKey` if it is not a valid key for the algorithm.
    package init(
        _ algorithm: SignatureAlgorithm, pem: borrowing some ByteSource & ~Copyable
    ) throws(SignatureError) {
        guard let der = try? PEM.decodePublicKey(pem) else { throw SignatureError(.invalidKey(algorithm)) }
        try self.init(algorithm, subjectPublicKeyInfo: der)
    }

    package var algorithm: SignatureAlgorithm {
        switch self {
        case .ecdsaP256SHA256: .ecdsaP256SHA256
        case .ed25519: .ed25519
        case .rsaPSSSHA512: .rsaPSSSHA512
        case .rsaPKCS1SHA256: .rsaPKCS1SHA256
        case .hmacSHA256: .hmacSHA256
        }
    }

    /// The DER SubjectPublicKeyInfo; nil for a shared secret.
    package var subjectPublicKeyInfo: [UInt8]? {
        switch self {
        case .ecdsaP256SHA256(let key): key.subjectPublicKeyInfo
        case .ed25519(let key): key.subjectPublicKeyInfo
        case .rsaPSSSHA512(let key), .rsaPKCS1SHA256(let key): key.subjectPublicKeyInfo
        case .hmacSHA256: nil
        }
    }

    package func isValid(_ signature: [UInt8], over base: String) -> Bool {
        let base = Array(base.utf8)
        return switch self {
        case .ecdsaP256SHA256(let key): key.isValidECDSASHA256(signature: signature, for: base)
        case .ed25519(let key): key.isValid(signature: signature, for: base)
        case .rsaPSSSHA512(let key): key.isValidPSSSHA512(signature: signature, for: base)
        case .rsaPKCS1SHA256(let key): key.isValidPKCS1SHA256(signature: signature, for: base)
        case .hmacSHA256(let key): HMACSHA256.isValid(signature, for: base, key: key.secret.bytes)
        }
    }
}
