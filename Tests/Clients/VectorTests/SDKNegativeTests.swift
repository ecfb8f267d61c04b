import CardCompanionAPI
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CardCompanionSDK

@Suite("Negative vectors: SDK and swift-crypto")
struct SDKNegativeTests {
    @Test("Each delivered pin gives the expected code", arguments: try NegativeVectors.file.get().deliveries)
    func delivery(_ vector: NegativeVectors.Delivery) throws {
        let recipient = try NegativeVectors.file.get().keys.named(vector.recipient).recipientKey()
        vector.expect(code(of: vector.compact, to: recipient))
    }

    /// The code that the SDK returns for a fetch.
    private func code(of compact: String, to recipient: RecipientKey) -> Int {
        do throws(SDKError) {
            let delivered = try DeliveredPIN(parsing: CompactJWE(parsing: compact).open(with: recipient))
            return delivered.pin() == nil ? LibraryCode.incompletePIN.rawValue : 0
        } catch {
            return error.code.rawValue
        }
    }

    @Test("Each signature gives the expected code", arguments: try NegativeVectors.file.get().signatures)
    func signature(_ vector: NegativeVectors.Signature) throws {
        let pem = try NegativeVectors.file.get().keys.named(vector.key).pem
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem).publicKey
        let octets = Data(base64Encoded: vector.signature).flatMap {
            $0.base64EncodedString() == vector.signature ? $0 : nil
        }
        let isValid = octets.map {
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: $0), for: Data(vector.token.utf8),
                padding: .insecurePKCS1v1_5)
        }
        vector.expect(isValid == true ? 0 : DistributionCode.invalidSignature.rawValue)
    }

    // swift-crypto also accepts lengths that the protocol does not allow. The SDK's JWE parser refuses them.
    @Test(
        "AES-GCM accepts only valid inputs",
        arguments: try NegativeVectors.file.get().aesGCM.filter { $0.key.bytes.count == 32 && $0.iv.bytes.count == 12 })
    func aesGCM(_ vector: NegativeVectors.GCM) {
        let plaintext = try? AES.GCM.open(
            AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: vector.iv.bytes), ciphertext: vector.ciphertext.bytes,
                tag: vector.tag.bytes),
            using: SymmetricKey(data: vector.key.bytes), authenticating: vector.additionalData.bytes)
        #expect(plaintext == vector.plaintext?.data)
        #expect((plaintext != nil) == (vector.verdict == .valid))
    }

    @Test(
        "AES key wrap accepts only valid inputs",
        arguments: try NegativeVectors.file.get().aesKeyWrap.filter { $0.wrappingKey.bytes.count == 32 })
    func aesKeyWrap(_ vector: NegativeVectors.KeyWrap) {
        let key = try? AES.KeyWrap.unwrap(
            vector.wrappedKey.bytes, using: SymmetricKey(data: vector.wrappingKey.bytes))
        #expect(key?.withUnsafeBytes { Data($0) } == vector.plaintext?.data)
        #expect((key != nil) == (vector.verdict == .valid))
    }
}
