import CardCompanionAPI
import CardCompanionModel
import Crypto
import CryptoExtras
import Foundation
import SecureMemory
import Testing

@testable import CardCompanion
@testable import CardCompanionSDK

extension BindingVectors.Bound {
    fileprivate var serverBinding: CardCompanion.ProofBinding { isKey ? .init(toKey: sent) : .init(toSealed: sent) }
}

@Suite("Vectors of bound proofs: server and SDK")
struct BoundProofTests {
    @Test("The server computes each binding", arguments: try BindingVectors.file.get().bindings)
    func server(_ vector: BindingVectors.Bound) {
        #expect(vector.serverBinding.text == vector.binding)
    }

    @Test("The SDK computes each binding", arguments: try BindingVectors.file.get().bindings)
    func sdk(_ vector: BindingVectors.Bound) throws {
        let sent = vector.isKey ? try #require(Data(base64Encoded: vector.sent)) : Data(vector.sent.utf8)
        #expect(CardCompanionSDK.ProofBinding.digest(of: sent) == vector.binding)
    }

    @Test("A prepared key and a sealed PIN have their digest as binding")
    func own() throws {
        let vectors = try BindingVectors.file.get()
        let pem = try vectors.keys.named("client-ec").pem
        let prepared = PreparedFetch(.p256(try P256.KeyAgreement.PrivateKey(pemRepresentation: pem)))
        #expect(prepared.binding == vectors.bindings.first { $0.member == "ecdhPublicKey" }?.binding)
        let vector = try #require(vectors.bindings.first { $0.name == "a PIN to an EC key" })
        let request = RequestBinding(content: .pin, bankId: "B", uniqueId: "U", requestId: "1")
        let sealed = SealedPIN(.init(compact: vector.sent, algorithm: .ecdhESA256KW, request: request))
        #expect(sealed.binding == vector.binding)
    }

    @Test("The text under each hashMac is the server's", arguments: try BindingVectors.file.get().hashMacs)
    func hashMac(_ vector: MACVectors.HashMac) throws {
        let bound = try #require(
            try BindingVectors.file.get().bindings.first { $0.name == vector.name && $0.binding == vector.binding })
        let text = HashMac(
            bankId: try #require(Identifier(vector.bankId)), uniqueId: vector.uniqueId,
            timestamp: try #require(RequestTimestamp(vector.timestamp)), binding: bound.serverBinding)
        #expect(Array(text.bound.utf8) == vector.message.bytes)
        let key = vector.key.bytes.map { String(format: "%02x", $0) }.joined()
        #expect(CryptoUtil.computeHMAC(key: key, data: text.bound) == vector.hashMac)
    }

    @Test(
        "The server takes the Binding of each token, and no other one",
        arguments: try BindingVectors.file.get().tokens)
    func token(_ vector: TokenVectors.Token) throws {
        let bindings = try BindingVectors.file.get().bindings
        let token = try AuthenticationToken(SecretBytes(copying: Array(vector.token.utf8)))
        for bound in bindings {
            for rule in ProofBindingRule.allCases {
                #expect((token.bindingFault(bound.serverBinding, rule) == nil) == (bound.name == vector.name))
            }
        }
    }
}
