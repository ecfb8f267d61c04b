import CardCompanion
import CardCompanionModel
import Foundation
import KeyVault
import Logging
import ServerHarness
import Testing

/// What a server finds that has seen the trail before, or whose vault knows its newest seal.
@Suite("A replaced audit trail")
struct ReplacedTrailTests {
    @Test("An emptied trail is found, also after a restart, and seals go on after an epoch that names both ends")
    func emptied() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            try await trail.seal("two", by: server)
            #expect(try await trail.sealNumbers() == ["1", "2"])
            #expect(server.log.messages(.critical) == [])

            try await trail.installation.attack(Attack.emptyTrail)
            let restarted = trail.server()
            for server in [server, restarted] {
                try await trail.seal("after the attack", by: server)
                let alarm = try #require(server.log.messages(.critical).first)
                #expect(alarm.contains("its newest seals are missing") && alarm.contains("--found 0"), "\(alarm)")
            }
            #expect(try await trail.sealNumbers() == [])

            let known = try #require(try await restarted.seals.memory.fault()).known
            #expect(known.number == 2)
            await #expect(throws: OtherSealFound.self) {
                _ = try await restarted.seals.beginEpoch(note: "a mistake", givingUp: known, after: 7)
            }
            let epoch = try await restarted.seals.beginEpoch(note: "accepted", givingUp: known, after: 0)
            #expect(epoch?.number == 3 && epoch?.lost == known)
            try await trail.seal("later", by: server)
            try await trail.seal("last", by: restarted)
            #expect(try await trail.sealNumbers() == ["3", "4", "5"])
            let verified = try await trail.verified(with: server)
            #expect(verified.faults == [])
            #expect(verified.epochs.map(\.lost) == [known])
        }
    }

    private static let attacks = [
        ("DELETE FROM audit_seal WHERE number = 3", "its newest seals are missing"),
        ("TRUNCATE audit_seal", "its newest seals are missing"),
        ("UPDATE audit_seal SET hash = sha256(hash) WHERE number = 3", "seal 3 is another one"),
        (Attack.rewriteHistory, "which a seal covers, is missing or is another one"),
        ("DELETE FROM audit_entry", "which a seal covers, is missing or is another one"),
        ("TRUNCATE audit_head", "its chain went back"),
    ]

    @Test(
        "A server that has seen the seals finds each attack, and adds none until an operator accepts it",
        arguments: attacks)
    func attacked(_ statement: String, _ finding: String) async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            for operation in ["one", "two", "three"] { try await trail.seal(operation, by: server) }
            try await trail.installation.attack(statement)
            let before = try await trail.newestNumber()
            try await trail.seal("four", by: server)
            #expect(
                server.log.messages(.critical).contains { $0.contains(finding) }, "\(server.log.messages(.critical))")
            #expect(try await trail.newestNumber() == before)

            let known = try #require(try await server.seals.memory.fault()).known
            #expect(known.number == 3)
            _ = try #require(try await server.seals.beginEpoch(note: "accepted", givingUp: known, after: before))
            try await trail.seal("five", by: server)
            try await trail.seal("six", by: server)
            #expect(try await trail.newestNumber() == 6)
            #expect(server.log.messages(.critical).count == 1)
        }
    }

    @Test("A gap in the seals of another server is found")
    func gap() async throws {
        try await LocalTrail.run { trail in
            let (one, other) = (trail.server(), trail.server())
            try await trail.seal("one", by: one)
            try await trail.seal("two", by: other)
            try await trail.seal("three", by: other)
            try await trail.installation.attack("DELETE FROM audit_seal WHERE number = 2")
            try await trail.seal("four", by: one)
            #expect(one.log.messages(.critical).contains { $0.contains("seals are missing before seal 3") })
            #expect(try await trail.sealNumbers() == ["1", "3"])
        }
    }

    @Test("A trail that goes back to an earlier, genuine state is found")
    func back() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            try await trail.seal("two", by: server)
            try await trail.installation.attack("DELETE FROM audit_seal WHERE number > 1")
            try await trail.seal("three", by: server)
            #expect(server.log.messages(.critical).contains { $0.contains("the newest one in the database is 1") })
        }
    }

    @Test("A history that was rewritten with right hashes is found by verify, although seals were made after it")
    func rewritten() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            try await trail.installation.attack(Attack.rewriteHistory)
            // A server that remembers nothing sees it in the newest seal. After an operator's mistake it goes on.
            try FileManager.default.removeItem(atPath: "\(trail.installation.dataDirectory)/vault.key.audit-mark")
            let later = trail.server()
            try await trail.seal("two", by: later)
            #expect(later.log.messages(.critical).contains { $0.contains("which a seal covers") })
            let known = try #require(try await later.seals.memory.fault()).known
            _ = try #require(try await later.seals.beginEpoch(note: "a mistake", givingUp: known))
            try await trail.seal("three", by: later)
            #expect(try await trail.sealNumbers() == ["1", "2", "3"])
            let faults = try await trail.verified(with: later).faults.map(\.description)
            #expect(faults.count == 1 && faults[0].contains("seal 1 covers entry 1 of chain"), "\(faults)")
        }
    }

    @Test("A database that does not answer is no fault")
    func outage() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            try await trail.installation.sql("ALTER TABLE audit_seal RENAME TO misplaced")
            try await trail.seal("two", by: server)
            #expect(!server.log.messages(.warning).isEmpty && server.log.messages(.critical) == [])
            try await trail.installation.sql("ALTER TABLE misplaced RENAME TO audit_seal")
            try await trail.seal("three", by: server)
            #expect(try await trail.sealNumbers() == ["1", "2"])
            #expect(server.log.messages(.critical) == [])
        }
    }

    @Test("The vault's mark is never lowered, and is in the data folder if the vault is read-only")
    func mark() async throws {
        let folder = TestFolder.shared.unused("marks")
        // Nobody can make a file there, whoever runs the test.
        let places = [FileVault(path: "/dev/null/vault.key"), FileVault(path: "\(folder)/server")]
        let kept = KeptMark(.seal, in: places)
        #expect(try await kept.newest() == nil)
        let (old, new) = (
            Mark(number: 7, hash: Array(repeating: 7, count: 32)),
            Mark(number: 8, hash: Array(repeating: 8, count: 32))
        )
        try await kept.raise(to: new)
        try await kept.raise(to: old)
        #expect(try await kept.newest() == new)
        #expect(FileManager.default.fileExists(atPath: "\(folder)/server.audit-mark"))
        try "seal 9".write(toFile: "\(folder)/server.audit-mark", atomically: false, encoding: .utf8)
        await #expect(throws: DamagedMark.self) { _ = try await kept.newest() }
        await #expect(throws: (any Error).self) { try await KeptMark(.seal, in: [places[0]]).raise(to: new) }
    }
}
