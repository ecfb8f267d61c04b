internal import CardCompanionAPI
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The client's private key for one fetch. The server encrypts the PIN to it.
enum RecipientKey {
    case rsa(_RSA.Encryption.PrivateKey)
    case p256(P256.KeyAgreement.PrivateKey)

    var algorithm: KeyManagement {
        switch self {
        case .rsa: .rsaOAEP256
        case .p256: .ecdhESA256KW
        }
    }

    /// The public key as a DER SubjectPublicKeyInfo.
    var publicKeyInfoBytes: Data {
        switch self {
        case .rsa(let key): key.publicKey.derRepresentation
        case .p256(let key): key.publicKey.derRepresentation
        }
    }

    /// The public key as sent to the server: base64 of a DER SubjectPublicKeyInfo.
    var publicKeyInfo: String { publicKeyInfoBytes.base64EncodedString() }

    /// Decrypts a JWE's content key.
    ///
    /// - Throws: 90005 if `apu` or `apv` is invalid, 90009 or 90014 if `epk` is invalid, 90010 if the key agreement
    ///   fails, 90012 if decryption fails.
    func unwrap(_ encryptedKey: Data, header: JWEHeader) throws(SDKError) -> SymmetricKey {
        switch self {
        case .rsa(let key):
            guard let contentKey = try? key.decrypt(encryptedKey, padding: .PKCS1_OAEP_SHA256) else {
                throw SDKError(.contentKeyNotUnwrapped, "RSA-OAEP-256 decryption failed")
            }
            return SymmetricKey(data: contentKey)
        case .p256(let key):
            let wrappingKey = try Self.agree(key, header: header)
            guard let contentKey = try? AES.KeyWrap.unwrap(encryptedKey, using: wrappingKey) else {
                throw SDKError(.contentKeyNotUnwrapped, "A256KW unwrapping failed")
            }
            return contentKey
        }
    }

    private static func agree(
        _ key: P256.KeyAgreement.PrivateKey, header: JWEHeader
    ) throws(SDKError) -> SymmetricKey {
        guard let epk = header.epk else { throw SDKError(.unreadableECKey, "the JWE has no epk") }
        guard let partyU = Base64URL.decode(header.apu ?? ""), let partyV = Base64URL.decode(header.apv ?? "") else {
            throw SDKError(.decryptionFailed, "apu and apv must be base64url")
        }
        let serverKey = try epk.p256PublicKey()
        guard let secret = try? key.sharedSecretFromKeyAgreement(with: serverKey) else {
            throw SDKError(.keyAgreementFailed, "ECDH failed")
        }
        return ConcatKDF.key(
            from: secret, algorithm: KeyManagement.ecdhESA256KW.rawValue, partyU: partyU, partyV: partyV,
            keyBitCount: 256)
    }
}
