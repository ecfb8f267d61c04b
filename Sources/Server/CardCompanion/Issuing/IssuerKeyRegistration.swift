package import CardCompanionModel
package import HTTPSignatures
internal import KeyBlocks
package import KeyVault
package import SecureMemory

/// Reads a key that a bank's back-end signs its calls with.
package enum IssuerKeyRegistration {
    /// A public key, from a `PUBLIC KEY` block in PEM.
    ///
    /// - Throws: `SignatureError` if it is not of the algorithm's form, ``InvalidSetting`` for a bad name.
    package static func publicKey(
        pem: [UInt8], algorithm: SignatureAlgorithm, keyId: String, bankId: Identifier, now: Timestamp
    ) throws -> IssuerKeyRecord {
        try requireName(keyId)
        let key = try VerificationKey(algorithm, pem: pem)
        guard let bytes = key.subjectPublicKeyInfo else {
            throw InvalidSetting(description: "\(algorithm.rawValue) has no public key: use --hex-file")
        }
        return IssuerKeyRecord(
            keyId: keyId, bankId: bankId, algorithm: algorithm.rawValue, publicKey: bytes, sealedSecret: nil,
            status: .active, createdAt: now)
    }

    /// A shared secret for hmac-sha256.
    ///
    /// - Throws: `SignatureError` if it is too short or too long, `PredictableKey`, ``InvalidSetting`` for a bad name.
    package static func secret(
        _ secret: borrowing SecretBytes, keyId: String, bankId: Identifier, keyring: Keyring, now: Timestamp
    ) throws -> IssuerKeyRecord {
        try requireName(keyId)
        _ = try HMACKey(secret.copy())
        try PredictableKey.requireRandom(secret)
        return IssuerKeyRecord(
            keyId: keyId, bankId: bankId, algorithm: SignatureAlgorithm.hmacSHA256.rawValue, publicKey: nil,
            sealedSecret: try keyring.seal(secret, in: .issuerSecret(keyId)), status: .active, createdAt: now)
    }

    private static func requireName(_ keyId: String) throws(InvalidSetting) {
        // A keyid is a string of printable ASCII (RFC 8941 section 3.3.3).
        guard Identifier(keyId) != nil, keyId.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw InvalidSetting(
                description: "--key-id must have 1 to \(Identifier.maximumLength) printable ASCII characters")
        }
    }
}
