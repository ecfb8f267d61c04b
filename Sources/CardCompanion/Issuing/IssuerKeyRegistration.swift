public import CardCompanionStore
public import HTTPSignatures
public import KeyVault
public import SecureMemory

/// A key that a bank's back-end is to sign its calls with.
public enum IssuerKeyRegistration {
    /// A public key, from a `PUBLIC KEY` block in PEM.
    ///
    /// - Throws: `SignatureError` where it is not of the algorithm's form, ``InvalidSetting`` for a name.
    public static func publicKey(
        pem: [UInt8], algorithm: SignatureAlgorithm, keyId: String, bankId: String, now: Timestamp
    ) throws -> IssuerKeyRecord {
        try requireName(keyId)
        let key = try VerificationKey(algorithm, pem: pem)
        guard let bytes = key.subjectPublicKeyInfo else {
            throw InvalidSetting(description: "\(algorithm) has no public key: give its secret")
        }
        return IssuerKeyRecord(
            keyId: keyId, bankId: bankId, algorithm: algorithm.rawValue, publicKey: bytes, sealedSecret: nil,
            status: .active, createdAt: now)
    }

    /// A shared secret for hmac-sha256.
    ///
    /// - Throws: `SignatureError` where it is too short or too long, ``InvalidSetting`` for a name.
    public static func secret(
        _ secret: borrowing SecretBytes, keyId: String, bankId: String, keyring: Keyring, now: Timestamp
    ) throws -> IssuerKeyRecord {
        try requireName(keyId)
        _ = try HMACKey(secret.copy())
        return IssuerKeyRecord(
            keyId: keyId, bankId: bankId, algorithm: SignatureAlgorithm.hmacSHA256.rawValue, publicKey: nil,
            sealedSecret: try keyring.seal(secret, in: .issuerSecret(keyId)), status: .active, createdAt: now)
    }

    private static func requireName(_ keyId: String) throws(InvalidSetting) {
        // A keyid is a string of printable ASCII (RFC 8941 section 3.3.3).
        guard Identifier.isValid(keyId), keyId.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw InvalidSetting(
                description: "a key's name is to have 1 to \(Identifier.maximumLength) printable ASCII characters")
        }
    }
}
