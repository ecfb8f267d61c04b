internal import CardCompanionAPI
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The client's key of one fetch, to which the server seals the PIN.
enum RecipientKey {
    case rsa(_RSA.Encryption.PrivateKey)
    case p256(P256.KeyAgreement.PrivateKey)

    var algorithm: KeyManagement {
        switch self {
        case .rsa: .rsaOAEP256
        case .p256: .ecdhESA256KW
        }
    }

    /// The public half, as the server wants it: base64 of a DER SubjectPublicKeyInfo.
    var publicKeyInfo: String {
        switch self {
        case .rsa(let key): key.publicKey.derRepresentation.base64EncodedString()
        case .p256(let key): key.publicKey.derRepresentation.base64EncodedString()
        }
    }

    /// Recovers a JWE's content key.
    func unwrap(_ encryptedKey: Data, header: JWEHeader) throws(SDKError) -> SymmetricKey {
        switch self {
        case .rsa(let key):
            guard let contentKey = try? key.decrypt(encryptedKey, padding: .PKCS1_OAEP_SHA256) else {
                throw SDKError(.contentKeyNotUnwrapped, "RSA-OAEP-256")
            }
            return SymmetricKey(data: contentKey)
        case .p256(let key):
            let wrappingKey = try Self.agree(key, header: header)
            guard let contentKey = try? AES.KeyWrap.unwrap(encryptedKey, using: wrappingKey) else {
                throw SDKError(.contentKeyNotUnwrapped, "A256KW")
            }
            return contentKey
        }
    }

    private static func agree(
        _ key: P256.KeyAgreement.PrivateKey, header: JWEHeader
    ) throws(SDKError) -> SymmetricKey {
        guard let epk = header.epk else { throw SDKError(.unreadableECKey, "the JWE has no epk") }
        guard let partyU = Base64URL.decode(header.apu ?? ""), let partyV = Base64URL.decode(header.apv ?? "") else {
            throw SDKError(.decryptionFailed, "apu or apv is not base64url")
        }
        let serverKey = try epk.p256PublicKey()
        guard let secret = try? key.sharedSecretFromKeyAgreement(with: serverKey) else {
            throw SDKError(.keyAgreementFailed, "ECDH")
        }
        return ConcatKDF.key(
            from: secret, algorithm: KeyManagement.ecdhESA256KW.rawValue, partyU: partyU, partyV: partyV,
            keyBitCount: 256)
    }
}
