internal import CardCompanionAPI
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A public key of the server. The SDK encrypts a defined PIN to it.
struct ServerKey {
    let id: String
    let material: Material

    enum Material {
        case rsa(_RSA.Encryption.PublicKey)
        case p256(P256.KeyAgreement.PublicKey)
    }

    /// The first key in the set for `algorithm` that the app trusts.
    ///
    /// - Parameters:
    ///   - set: The server's published keys.
    ///   - algorithm: The key management algorithm.
    ///   - pinned: The thumbprints (RFC 7638) of the keys that the app trusts. If empty, all keys are trusted.
    /// - Throws: 90003 if the set has no usable key for `algorithm`, 90009 if none of them is pinned or the point is
    ///   not on the curve, 90014 if an EC key is invalid.
    init(from set: JWKSet, for algorithm: KeyManagement, pinned: Set<String>) throws(SDKError) {
        let fitting = set.keys.filter { Self.isMeant($0, for: algorithm) }
        guard !fitting.isEmpty else {
            throw SDKError(.badAnswerFormat, "the server publishes no key for \(algorithm.rawValue)")
        }
        let trusted = pinned.isEmpty ? fitting : fitting.filter { $0.thumbprint.map(pinned.contains) ?? false }
        guard let key = trusted.first, let id = key.kid else {
            throw SDKError(.untrustedServerKey, "the app has pinned none of the server's keys")
        }
        self.id = id
        material =
            switch algorithm {
            case .rsaOAEP256: .rsa(try key.rsaPublicKey())
            case .ecdhESA256KW: .p256(try key.p256PublicKey())
            }
    }

    private static func isMeant(_ key: JWK, for algorithm: KeyManagement) -> Bool {
        let type =
            switch algorithm {
            case .rsaOAEP256: "RSA"
            case .ecdhESA256KW: "EC"
            }
        return key.kty == type && key.kid != nil && key.use ?? "enc" == "enc"
            && key.alg ?? algorithm.rawValue == algorithm.rawValue
    }

    /// Encrypts a JWE's content key and returns it with the JWE's header.
    func wrap(_ contentKey: SymmetricKey) throws(SDKError) -> (header: JWEHeader, encryptedKey: Data) {
        switch material {
        case .rsa(let key):
            let contentKeyBytes = contentKey.withUnsafeBytes { Data($0) }
            guard let encryptedKey = try? key.encrypt(contentKeyBytes, padding: .PKCS1_OAEP_SHA256) else {
                throw SDKError(.decryptionFailed, "the content key could not be encrypted")
            }
            return (header(.rsaOAEP256), encryptedKey)
        case .p256(let key):
            return try wrap(contentKey, agreeingWith: key)
        }
    }

    private func wrap(
        _ contentKey: SymmetricKey, agreeingWith key: P256.KeyAgreement.PublicKey
    ) throws(SDKError) -> (header: JWEHeader, encryptedKey: Data) {
        let ephemeral = P256.KeyAgreement.PrivateKey()
        guard let secret = try? ephemeral.sharedSecretFromKeyAgreement(with: key) else {
            throw SDKError(.keyAgreementFailed, "ECDH failed")
        }
        let algorithm = KeyManagement.ecdhESA256KW
        let wrappingKey = ConcatKDF.key(
            from: secret, algorithm: algorithm.rawValue, partyU: Data(), partyV: Data(), keyBitCount: 256)
        guard let encryptedKey = try? AES.KeyWrap.wrap(contentKey, using: wrappingKey) else {
            throw SDKError(.decryptionFailed, "the content key could not be wrapped")
        }
        return (header(algorithm, epk: JWK(ephemeral.publicKey)), encryptedKey)
    }

    private func header(_ algorithm: KeyManagement, epk: JWK? = nil) -> JWEHeader {
        JWEHeader(alg: algorithm.rawValue, enc: JWEHeader.contentEncryption, kid: id, epk: epk)
    }
}
