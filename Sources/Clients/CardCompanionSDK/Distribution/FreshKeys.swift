internal import Crypto
internal import CryptoExtras

/// Generates the keys of a fetch. Tests replace it to make key generation fail.
struct FreshKeys: Sendable {
    var rsa: @Sendable () throws -> _RSA.Encryption.PrivateKey
    var p256: @Sendable () throws -> P256.KeyAgreement.PrivateKey

    static let generated = FreshKeys(
        rsa: { try _RSA.Encryption.PrivateKey(keySize: .bits2048) },
        p256: { P256.KeyAgreement.PrivateKey() })
}
