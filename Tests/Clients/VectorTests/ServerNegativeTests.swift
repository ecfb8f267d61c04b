import CardCompanionAPI
import Cryptography
import JOSE
import SecureMemory
import StrictJSON
import Testing

@Suite("Negative vectors: server modules")
struct ServerNegativeTests {
    @Test("Each ecdhPublicKey gives the expected code", arguments: try NegativeVectors.file.get().ecdhPublicKeys)
    func ecdhPublicKey(_ vector: NegativeVectors.PublicKey) {
        let key = Base64.decode(vector.publicKey).flatMap { try? P256PublicKey(subjectPublicKeyInfo: $0) }
        vector.expect(key == nil ? DistributionCode.invalidECDHPublicKey.rawValue : 0)
    }

    // The protocol allows a smaller range of sizes and exponents than the module supports.
    @Test("Each rsaPublicKey gives the expected code", arguments: try NegativeVectors.file.get().rsaPublicKeys)
    func rsaPublicKey(_ vector: NegativeVectors.PublicKey) {
        let key = Base64.decode(vector.publicKey).flatMap { try? RSAPublicKey(subjectPublicKeyInfo: $0) }
        let isAllowed = key.map { key in
            2048...4096 ~= key.modulusBits && 3...8 ~= key.publicExponent.count
                && key.publicExponent.lexicographicallyPrecedes([1, 0, 1]) == false
        }
        vector.expect(isAllowed == true ? 0 : DistributionCode.invalidRSAPublicKey.rawValue)
    }

    @Test("Each token gives the expected code", arguments: try NegativeVectors.file.get().tokens)
    func token(_ vector: NegativeVectors.Token) {
        let isObject: Bool
        do {
            _ = try JSONText(SecretBytes(copying: Array(vector.token.utf8)))
            isObject = true
        } catch {
            isObject = false
        }
        vector.expect(isObject ? 0 : DistributionCode.invalidTokenFormat.rawValue)
        #expect(DistributionCode.invalidTokenFormat.rawValue == DefinitionCode.invalidTokenFormat.rawValue)
    }

    @Test("Each signature gives the expected code", arguments: try NegativeVectors.file.get().signatures)
    func signature(_ vector: NegativeVectors.Signature) throws {
        let key = try NegativeVectors.file.get().keys.named(vector.key).serverRSA().publicKey
        let isValid = Base64.decode(vector.signature).map {
            key.isValidPKCS1SHA256(signature: $0, for: Array(vector.token.utf8))
        }
        vector.expect(isValid == true ? 0 : DistributionCode.invalidSignature.rawValue)
        #expect(DistributionCode.invalidSignature.rawValue == DefinitionCode.invalidSignature.rawValue)
    }

    @Test("Each defined pin gives the expected code", arguments: try NegativeVectors.file.get().definitions)
    func definition(_ vector: NegativeVectors.Definition) throws {
        vector.expect(try Self.code(of: vector, keys: NegativeVectors.file.get().keys).rawValue)
    }

    /// The code by sections 2.8 and 2.9 of the protocol.
    private static func code(of vector: NegativeVectors.Definition, keys: KeyVectors) throws -> DefinitionCode {
        let toRSA = vector.operation == "pin-definition/pin"
        do {
            let jwe = try JWE(compact: vector.compact, for: toRSA ? .rsaOAEP256 : .ecdhESA256KW)
            guard let key = keys.kid(jwe.header.keyID), key.name == (toRSA ? "server-rsa" : "server-ec") else {
                return .cryptoError
            }
            let plaintext = try jwe.open(with: key)
            #expect(plaintext.revealed == Array("4343            ".utf8))
            return .success
        } catch let error as JOSEError {
            return code(of: error)
        }
    }

    private static func code(of error: JOSEError) -> DefinitionCode {
        switch error.code {
        case .missingEphemeralKey: .missingECDHPublicKey
        case .emptyEncryptedKey: .missingAESKey
        case .invalidEphemeralKey: .invalidECDHPublicKey
        default: .cryptoError
        }
    }

    @Test("AES-GCM accepts only valid inputs", arguments: try NegativeVectors.file.get().aesGCM)
    func aesGCM(_ vector: NegativeVectors.GCM) {
        let plaintext = opened {
            try AESGCM.open(
                ciphertext: vector.ciphertext.bytes, tag: vector.tag.bytes, key: vector.key.bytes,
                nonce: vector.iv.bytes, authenticating: vector.additionalData.bytes)
        }
        #expect(plaintext == vector.plaintext?.bytes)
        #expect((plaintext != nil) == (vector.verdict == .valid))
    }

    @Test("AES key wrap accepts only valid inputs", arguments: try NegativeVectors.file.get().aesKeyWrap)
    func aesKeyWrap(_ vector: NegativeVectors.KeyWrap) {
        let key = opened { try AESKeyWrap.unwrap(vector.wrappedKey.bytes, with: vector.wrappingKey.bytes) }
        #expect(key == vector.plaintext?.bytes)
        #expect((key != nil) == (vector.verdict == .valid))
    }

    private func opened(_ open: () throws -> SecretBytes) -> [UInt8]? {
        do {
            return try open().revealed
        } catch {
            return nil
        }
    }
}
