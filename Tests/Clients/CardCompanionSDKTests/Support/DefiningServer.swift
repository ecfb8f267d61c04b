import CardCompanionAPI
import Crypto
import CryptoExtras
import Foundation

@testable import CardCompanionSDK

/// A server that publishes keys and accepts every definition.
struct DefiningServer: Sendable {
    // A signing key, because its type is Sendable and the encryption key's is not.
    private static let rsa: _RSA.Signing.PrivateKey? = try? .init(keySize: .bits2048)
    private static let p256 = P256.KeyAgreement.PrivateKey()

    var keys = DefiningServer.publishedKeys
    var answer = DefinitionAnswer(errorCode: 0, errorMessage: "Success")
    let recorder = Recorder()

    static var publishedKeys: [JWK] {
        var ec = JWK(p256.publicKey)
        ec.kid = "ec-1"
        ec.use = "enc"
        ec.alg = "ECDH-ES+A256KW"
        guard let numbers = try? rsa?.publicKey.getKeyPrimitives() else { return [ec] }
        let rsa = JWK(
            kty: "RSA", use: "enc", alg: "RSA-OAEP-256", kid: "rsa-1", n: Base64URL.encode(numbers.modulus),
            e: Base64URL.encode(numbers.publicExponent))
        return [rsa, ec]
    }

    var react: @Sendable (TestRequest) throws -> Reaction {
        { request in
            recorder.record(request)
            return request.path == APIPath.keySet ? .json(["keys": keys]) : .json(answer)
        }
    }

    /// Decrypts a value that a request sealed to one of the keys.
    static func opened(_ sealed: String) throws -> (content: String, header: JWEHeader) {
        let jwe = try CompactJWE(parsing: sealed)
        let key: RecipientKey =
            if jwe.header.alg == KeyManagement.rsaOAEP256.rawValue, let rsa {
                .rsa(try _RSA.Encryption.PrivateKey(derRepresentation: rsa.derRepresentation))
            } else {
                .p256(p256)
            }
        return (String(decoding: try jwe.open(with: key), as: UTF8.self), jwe.header)
    }
}

extension JWEHeader {
    /// What the header says that the value is for: cty, iss, sub, jti and keypadId.
    var names: [String?] { [cty, iss, sub, jti, keypadId] }
}

extension DefinitionParameters {
    static let example = DefinitionParameters(
        bankId: "BANK", uniqueId: "102456", timestamp: "1475255010", hashMac: "ab12", pin: "1234")
}

extension DefinitionTokenParameters {
    static let tokenExample = #"{"IdBEL":"BANK","IdPorteur":"102456","IdTransaction":"T-1"}"#
    static let pinExample = DefinitionTokenParameters(token: tokenExample, signature: "c2ln", pin: "1234")
    static let indexesExample = DefinitionTokenParameters(
        token: tokenExample, signature: "c2ln", indexes: "0,11,0,1", keypadId: "k-1")
}
