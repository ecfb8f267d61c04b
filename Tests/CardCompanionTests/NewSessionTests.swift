import CardCompanionAPI
import Crypto
import Foundation
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("A new session")
struct NewSessionTests {
    @Test("Its id is text that fits the database, and no two are alike")
    func ids() {
        let ids = (0..<200).map { _ in NewSession().id }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect((22...64).contains(id.count))
            #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("Its key is 32 bytes and each session's own")
    func keys() {
        let keys = (0..<50).map { _ in NewSession().notifyKey.bytes.revealed }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.count == 32 })
    }

    @Test("What the store gets is SHA-256 of the hash of each status, as another library makes it")
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
