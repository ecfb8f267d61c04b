import CardCompanionAPI
import CardCompanionModel
import Crypto
import Foundation
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("New session")
struct NewSessionTests {
    @Test("Session ids are unique base64url texts of 22 to 64 characters")
    func ids() throws {
        let ids = try (0..<200).map { _ in try session().id }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect((22...64).contains(id.count))
            #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("Notify keys are unique and 32 bytes long")
    func keys() throws {
        let keys = try (0..<50).map { _ in try session().notifyKey.bytes.revealed }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.count == 32 })
    }

    @Test("Confirmations are SHA-256 of each status's HMAC, as computed with swift-crypto")
    func confirmations() throws {
        let session = try session()
        let confirmations = session.confirmations(bankId: "BANK", uniqueId: "é4711")
        #expect(confirmations.count == 3)
        for (status, confirmation) in confirmations.enumerated() {
            let hash = HMAC<SHA256>.authenticationCode(
                for: Data("BANKé4711\(session.id)\(status)".utf8),
                using: SymmetricKey(data: session.notifyKey.bytes.revealed))
            #expect(confirmation == Array(SHA256.hash(data: Data(hash))))
        }
    }

    @Test("A session's name is genuine for its cardholder only, and under old keys too")
    func names() throws {
        let (keyring, other) = (try testKeyring(), try testKeyring())
        let name = try #require(Identifier(try SessionName(bankId: "BANK", uniqueId: "4711", keyring: keyring).text))
        func isGenuine(
            _ name: Identifier, _ bankId: Identifier = "BANK", _ uniqueId: Identifier = "4711"
        ) throws -> Bool {
            try SessionName.isGenuine(name, bankId: bankId, uniqueId: uniqueId, keyring: keyring)
        }
        #expect(try isGenuine(name))
        #expect(try !isGenuine(name, "OTHER"))
        #expect(try !isGenuine(name, "BANK", "4712"))
        #expect(try !SessionName.isGenuine(name, bankId: "BANK", uniqueId: "4711", keyring: other))
        for forged in ["none", String(name.text.dropLast(4)), "AAAA" + name.text.dropFirst(4), name.text + "AAAA"] {
            let forged = try #require(Identifier(forged))
            #expect(try !isGenuine(forged))
        }
    }

    private func session() throws -> NewSession {
        NewSession(try SessionName(bankId: "BANK", uniqueId: "é4711", keyring: try testKeyring()))
    }
}
