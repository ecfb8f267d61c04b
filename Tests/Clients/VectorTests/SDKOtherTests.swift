import CardCompanionAPI
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CardCompanionSDK

@Suite("MAC, token, thumbprint and keypad vectors: SDK")
struct SDKOtherTests {
    @Test("Each hashMac matches its vector", arguments: try MACVectors.file.get().hashMacs)
    func hashMac(_ vector: MACVectors.HashMac) {
        let (key, text) = (Hex.encode(vector.key.bytes), vector.bankId + vector.uniqueId + vector.timestamp)
        #expect(CryptoUtil.computeHMAC(key: key, data: text) == vector.hashMac)
        let hex = CardCompanionUtil.stringToHex(text)
        #expect(hex == Hex.encode(vector.message.bytes))
        #expect(CardCompanionUtil.calculHashMacValue(key, str: hex) == vector.hashMac)
    }

    @Test("Each notify hash matches its vector", arguments: try MACVectors.file.get().notifyHashes)
    func notifyHash(_ vector: MACVectors.NotifyHash) {
        let key = Hex.encode(vector.notifyKey.bytes)
        #expect(CardCompanionUtil.calculHashMacValue(key, str: Hex.encode(vector.message.bytes)) == vector.hash)
        #expect(NotifyStatus(rawValue: vector.status) != nil)
    }

    // Only the tokens without white space and with strings only, as the API writes them.
    @Test(
        "The API writes the same JSON as each token vector",
        arguments: try TokenVectors.file.get().vectors.filter {
            !$0.token.contains(" ") && !$0.token.contains(":1")
        })
    func token(_ vector: TokenVectors.Token) throws {
        let members = try JSONDecoder().decode([String: String].self, from: Data(vector.token.utf8))
        func member(_ name: String) throws -> String { try #require(members[name]) }
        let token = Token(
            bankId: try member(MemberName.idBEL), uniqueId: try member(MemberName.idPorteur),
            providerId: try member(MemberName.idFournisseur), transactionId: try member(MemberName.idTransaction),
            timestamp: try #require(Int(member(MemberName.tokenTimestamp))),
            type: try #require(TokenType(text: member(MemberName.tokenType))),
            signatureCertAlias: members[MemberName.signatureCertAlias],
            authenticationCode: members[MemberName.authenticationCode])
        #expect(token.json() == vector.token)
    }

    @Test("swift-crypto reproduces each signature", arguments: try TokenVectors.file.get().vectors)
    func signature(_ vector: TokenVectors.Token) throws {
        let pem = try TokenVectors.file.get().keys.named(vector.key).pem
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        let signature = try key.signature(for: Data(vector.token.utf8), padding: .insecurePKCS1v1_5)
        #expect(signature.rawRepresentation.base64EncodedString() == vector.signature)
    }

    @Test(
        "Each thumbprint matches its vector",
        arguments: try ThumbprintVectors.file.get().vectors)
    func thumbprint(_ vector: ThumbprintVectors.Thumbprint) throws {
        let key = try JSONDecoder().decode(JWK.self, from: JSONEncoder().encode(vector.jwk))
        #expect(key.thumbprint == vector.thumbprint)
    }

    @Test("The indexes on each keypad match its vector", arguments: try KeypadVectors.file.get().vectors)
    func keypad(_ vector: KeypadVectors.Keypad) throws {
        #expect(vector.keypad.count == vector.keypadSize)
        #expect(KeyPad.isComplete(vector.keypad))
        let indexes = try #require(KeyPad.indexes(of: vector.pin, in: vector.keypad))
        #expect(indexes == vector.indexes.map(String.init).joined(separator: ","))
        let written = try vector.plaintexts.map {
            try PINPlaintext.indexes($0.trimmingCharacters(in: .whitespaces), lengths: 4...6)
        }
        // A list in brackets is normalized to commas. Plain digits stay plain digits.
        let wanted = [vector.plaintexts[0], vector.plaintexts[0]] + vector.plaintexts.dropFirst(2)
        #expect(written == wanted.map { Data($0.utf8) })
    }
}
