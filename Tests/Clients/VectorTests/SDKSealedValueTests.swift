import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CardCompanionSDK

extension KeyVector {
    /// The key in the type that the SDK uses for a fetch.
    func recipientKey() throws -> RecipientKey {
        jwk["kty"] == "RSA"
            ? .rsa(try _RSA.Encryption.PrivateKey(pemRepresentation: pem))
            : .p256(try P256.KeyAgreement.PrivateKey(pemRepresentation: pem))
    }
}

@Suite("Sealed value vectors: SDK")
struct SDKSealedValueTests {
    @Test(
        "Each sealed value decrypts to its plaintext",
        arguments: try SealedValueCase.delivered() + SealedValueCase.defined())
    func opens(_ sealed: SealedValueCase) throws {
        let jwe = try CompactJWE(parsing: sealed.vector.compact)
        #expect(try jwe.open(with: sealed.key.recipientKey()) == Data(sealed.vector.plaintext.utf8))
        #expect(jwe.encryptedKey == sealed.vector.encryptedKey.data)
        #expect(jwe.protectedHeader == sealed.vector.additionalData.data)
    }

    @Test("The encoded public key matches the vector", arguments: try SealedValueCase.delivered())
    func publicKey(_ sealed: SealedValueCase) throws {
        #expect(try sealed.key.recipientKey().publicKeyInfo == sealed.key.publicKey)
    }

    @Test(
        "Each step of the key agreement matches the vector",
        arguments: try (SealedValueCase.delivered() + SealedValueCase.defined()).filter(\.vector.isECDH))
    func agreement(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        let key = try P256.KeyAgreement.PrivateKey(pemRepresentation: sealed.key.pem)
        let epk = try #require(CompactJWE(parsing: vector.compact).header.epk)
        let secret = try key.sharedSecretFromKeyAgreement(with: epk.p256PublicKey())
        #expect(secret.withUnsafeBytes { Data($0) } == vector.sharedSecret?.data)
        let wrappingKey = ConcatKDF.key(
            from: secret, algorithm: vector.alg, partyU: try #require(vector.apu).data,
            partyV: try #require(vector.apv).data, keyBitCount: 256)
        #expect(wrappingKey.withUnsafeBytes { Data($0) } == vector.wrappingKey?.data)
        let contentKey = try AES.KeyWrap.unwrap(vector.encryptedKey.data, using: wrappingKey)
        #expect(contentKey.withUnsafeBytes { Data($0) } == vector.contentKey.data)
    }

    @Test("A delivered plaintext parses to the vector's values", arguments: try SealedValueCase.delivered())
    func delivered(_ sealed: SealedValueCase) throws {
        let wanted = try #require(sealed.vector.delivered)
        let pin = try DeliveredPIN(parsing: Data(sealed.vector.plaintext.utf8))
        #expect(pin.format.rawValue == wanted.format)
        #expect(pin.pin() == .images(wanted.imagesInOrder))
        #expect(pin.notifyKey.withUnsafeBytes { Data($0) } == wanted.notifyKey.data)
        #expect(pin.freeField == wanted.freeField)
    }

    // The SDK always pads. Some vectors are not padded, so the expected value is padded here.
    @Test(
        "The plaintext of a defined PIN matches the vector",
        arguments: try SealedValueCase.defined().filter { $0.vector.authenticationCode == nil })
    func defined(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        let pin = try #require(vector.pin)
        guard let keypad = vector.keypad, let indexes = vector.indexes else {
            let written = try PINPlaintext.digits(pin, lengths: 4...6)
            return #expect(written == Data(vector.plaintext.padding(toLength: 16, withPad: " ", startingAt: 0).utf8))
        }
        let list = indexes.map(String.init).joined(separator: ",")
        #expect(KeyPad.indexes(of: pin, in: keypad) == list)
        let written = try PINPlaintext.indexes(vector.plaintext.trimmingCharacters(in: .whitespaces), lengths: 4...6)
        let isPlain = !vector.plaintext.contains(",")
        let wanted = isPlain ? indexes.map(String.init).joined() : list
        #expect(written == Data(wanted.padding(toLength: 64, withPad: " ", startingAt: 0).utf8))
    }
}
