import CardCompanionAPI
import CardCompanionStore
import Crypto
import Foundation
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("New session")
struct NewSessionTests {
    @Test("Session ids are unique base64url texts of 22 to 64 characters")
    func ids() {
        let ids = (0..<200).map { _ in NewSession().id }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect((22...64).contains(id.count))
            #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("Notify keys are unique and 32 bytes long")
    func keys() {
        let keys = (0..<50).map { _ in NewSession().notifyKey.bytes.revealed }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.count == 32 })
    }

    @Test("Confirmations are SHA-256 of each status's HMAC, as computed with swift-crypto")
    func confirmations() {
        let session = NewSession()
        let confirmations = session.confirmations(bankId: "BANK", uniqueId: "é4711")
        #expect(confirmations.count == 3)
        for (status, confirmation) in confirmations.enumerated() {
            let hash = HMAC<SHA256>.authenticationCode(
                for: Data("BANKé4711\(session.id)\(status)".utf8),
                using: SymmetricKey(data: session.notifyKey.bytes.revealed))
            #expect(confirmation == Array(SHA256.hash(data: Data(hash))))
        }
    }
}
