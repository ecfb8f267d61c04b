import Crypto
import CryptoExtras
import Foundation

@testable import CardCompanionSDK

/// Seals values as a server does, optionally with one error.
struct TestSealer: Sendable {
    /// A JSON object whose members replace header parameters. Null removes a parameter.
    var headerChanges: String = "{}"
    var contentKey = SymmetricKey(size: .bits256)
    var garblesEncryptedKey = false
    var garblesTag = false
    var sealsToAnotherKey = false

    func seal(_ plaintext: String, toRSA publicKeyInfo: String) throws -> String {
        let key = try _RSA.Encryption.PublicKey(derRepresentation: try Self.bytes(publicKeyInfo))
        let receiver = sealsToAnotherKey ? try _RSA.Encryption.PrivateKey(keySize: .bits2048).publicKey : key
        let encryptedKey = try receiver.encrypt(
            contentKey.withUnsafeBytes { Data($0) }, padding: .PKCS1_OAEP_SHA256)
        return try serialise(plaintext, encryptedKey, header: ["alg": "RSA-OAEP-256", "enc": "A256GCM"])
    }

    func seal(
        _ plaintext: String, toP256 publicKeyInfo: String, partyU: String = "", partyV: String = ""
    ) throws -> String {
        let key = try P256.KeyAgreement.PublicKey(derRepresentation: try Self.bytes(publicKeyInfo))
        let receiver = sealsToAnotherKey ? P256.KeyAgreement.PrivateKey().publicKey : key
        let ephemeral = P256.KeyAgreement.PrivateKey()
        let wrappingKey = ConcatKDF.key(
            from: try ephemeral.sharedSecretFromKeyAgreement(with: receiver), algorithm: "ECDH-ES+A256KW",
            partyU: Data(partyU.utf8), partyV: Data(partyV.utf8), keyBitCount: 256)
        let encryptedKey = try AES.KeyWrap.wrap(contentKey, using: wrappingKey)
        let point = ephemeral.publicKey.rawRepresentation
        let epk = [
            "kty": "EC", "crv": "P-256", "x": Base64URL.encode(point.prefix(32)),
            "y": Base64URL.encode(point.suffix(32)),
        ]
        let header: [String: Any] = [
            "alg": "ECDH-ES+A256KW", "enc": "A256GCM", "epk": epk, "apu": Base64URL.encode(partyU.utf8),
            "apv": Base64URL.encode(partyV.utf8),
        ]
        return try serialise(plaintext, encryptedKey, header: header)
    }

    private func serialise(_ plaintext: String, _ encryptedKey: Data, header: [String: Any]) throws -> String {
        let changes = try JSONSerialization.jsonObject(with: Data(headerChanges.utf8)) as? [String: Any] ?? [:]
        let changed = header.merging(changes) { $1 }.filter { !($0.value is NSNull) }
        let headerText = Base64URL.encode(try JSONSerialization.data(withJSONObject: changed))
        // With a content key of the wrong length, another key encrypts the content.
        let key = contentKey.bitCount == 256 ? contentKey : SymmetricKey(size: .bits256)
        let box = try AES.GCM.seal(Data(plaintext.utf8), using: key, authenticating: Data(headerText.utf8))
        let sentKey = garblesEncryptedKey ? Data(encryptedKey.map { $0 ^ 1 }) : encryptedKey
        let tag = garblesTag ? Data(box.tag.map { $0 ^ 1 }) : box.tag
        let binary = [sentKey, Data(box.nonce), box.ciphertext, tag]
        return ([headerText] + binary.map { Base64URL.encode($0) }).joined(separator: ".")
    }

    private static func bytes(_ base64: String) throws -> Data {
        guard let bytes = Data(base64Encoded: base64) else { throw CryptoKitError.incorrectParameterSize }
        return bytes
    }
}

/// The plaintext of a delivered PIN.
struct TestDelivery: Encodable, Sendable {
    var format = "captcha"
    var length = 4
    var images = [TestDelivery.image(0)]
    var order: [Int]?
    var notifyKey = Base64URL.encode(TestDelivery.notifyKeyBytes)
    var freeField: String?
    var padding = "    "

    static let notifyKeyBytes = [UInt8](0..<32)

    /// The signature of a PNG and one byte that makes the image unique.
    static func image(_ number: UInt8) -> String {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, number]).base64EncodedString()
    }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    /// The hash of a notify, in hex.
    static func notifyHash(_ text: String) -> String {
        let key = SymmetricKey(data: notifyKeyBytes)
        return HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
            .map { String(format: "%02x", Int($0)) }.joined()
    }
}
