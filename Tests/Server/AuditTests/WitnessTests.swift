import CardCompanionModel
import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The newest seal as others keep it, and what they find with it.
@Suite("Witnesses of the audit trail")
struct WitnessTests {
    private static let path = "/.well-known/audit-seal"

    private func servedSeal(_ fixture: AuditFixture) async throws -> HTTPAnswer {
        try await eventually("the server has seen the newest seal") {
            let newest = try await fixture.installation.sql("SELECT max(number) FROM audit_seal")
            let answer = try await fixture.server.request("GET", Self.path)
            return answer.status == 200 && newest == [answer.members["number"]?.integer.map { "\($0)" } ?? "none"]
        }
        return try await fixture.server.request("GET", Self.path)
    }

    @Test("The newest seal is served, and verify compares it, as an answer and as an event")
    func served() async throws {
        let fixture = try await AuditFixture()
        try await fixture.untilSealed()
        let answer = try await servedSeal(fixture)
        #expect(answer["Cache-Control"] == "no-store" && answer["Content-Type"] == "application/json")
        try await fixture.server.stop()
        let number = try #require(answer.members["number"]?.integer)
        let row = try await fixture.installation.sql(
            "SELECT encode(hash, 'hex') || '|' || key_id FROM audit_seal WHERE number = \(number)")
        #expect(row == ["\(answer.members["hash"]?.string ?? "")|\(answer.members["keyId"]?.string ?? "")"])

        let text = String(decoding: answer.body, as: UTF8.self)
        let witness = try TestFolder.shared.write(text, named: "seal.json")
        let event = try TestFolder.shared.write(
            #"{"id":"x","type":"audit.sealed","bankId":"B","occurredAt":1,"data":\#(text)}"#, named: "event.json")
        #expect(try await fixture.verify("--witness", witness, "--witness", event).faults == [])

        let hash = try #require(answer.members["hash"]?.string)
        let forged = text.replacing(hash, with: String(hash.reversed()))
        let faults = try await fixture.verify("--witness", try TestFolder.shared.write(forged, named: "forged.json"))
            .faults
        #expect(faults.count == 1 && faults[0].contains("seal \(number) is missing or is another one"), "\(faults)")
        let garbled = try TestFolder.shared.write(#"{"number":7}"#, named: "garbled.json")
        #expect(try await fixture.installation.run(["audit", "verify", "--witness", garbled]).status == 65)
        #expect(try await fixture.installation.run(["audit", "verify", "--witness", "/nowhere"]).status == 66)
    }

    @Test("Each bank gets the newest seal once a day, whatever number of servers there is, and a new bank a day later")
    func events() async throws {
        try await LocalTrail.run { trail in
            let installation = trail.installation
            let (old, new) = (try await installation.makeBank(), try await installation.makeBank())
            try await installation.attack(
                """
                UPDATE bank SET created_at = to_timestamp(\(trail.clock.now.seconds))
                    - CASE bank_id WHEN '\(old.id)' THEN interval '2 days' ELSE interval '0 days' END
                """)
            let events = { (bank: TestBank) in
                try await installation.sql(
                    "SELECT data ->> 'number' FROM event WHERE bank_id = '\(bank.id)' AND type = 'audit.sealed' ORDER BY event_id"
                )
            }
            let servers = [trail.server(), trail.server()]
            for server in servers { try await trail.seal("one", by: server) }
            #expect(try await events(old) == ["1"])
            #expect(try await events(new) == [])
            trail.clock.advance(25 * 3600)
            for server in servers { try await trail.seal("two", by: server) }
            #expect(try await events(old) == ["1", "3"])
            #expect(try await events(new) == ["3"])
            await #expect(throws: (any Error).self, "a second one of the same day") {
                _ = try await installation.sql(
                    """
                    INSERT INTO event (bank_id, type, data, occurred_at)
                    SELECT bank_id, type, data, occurred_at FROM event WHERE type = 'audit.sealed' LIMIT 1
                    """)
            }
        }
    }
}

/// The example that an auditor runs without our program.
@Suite(
    "An auditor's own check of an export",
    .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct AuditorTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/verify_audit.py").path

    private let fixture: AuditFixture
    private let keys: String

    init() async throws {
        fixture = try await AuditFixture()
        _ = try await fixture.fetch()
        try await fixture.untilSealed()
        try await fixture.server.stop()
        keys = try TestFolder.shared.write(
            try await fixture.installation.run(["audit", "keys", "--json"]).succeeded().stdout, named: "keys.json")
    }

    private func exported() async throws -> String {
        try await fixture.installation.run(["audit", "export"]).succeeded().stdout
    }

    private func check(_ export: String, _ arguments: String...) async throws -> CommandResult {
        let file = try TestFolder.shared.write(export, named: "audit.ndjson")
        return try await TestCommand.run(PythonOracle.interpreter, ["-B", Self.script, file, keys] + arguments)
    }

    @Test("It accepts the export of a real server, also after a part was closed, and with a seal that was kept")
    func genuine() async throws {
        let installation = fixture.installation
        let export = try await exported()
        let accepted = try await check(export).succeeded().stdout
        #expect(accepted.contains("nothing was altered"), "\(accepted)")
        let newest = try await installation.sql(
            "SELECT json_build_object('number', number, 'hash', encode(hash, 'hex')) FROM audit_seal ORDER BY number DESC LIMIT 1"
        )
        let witness = try TestFolder.shared.write(newest[0], named: "seal.json")
        try await check(export, "--witness", witness).succeeded()

        let soon = Date(timeIntervalSinceNow: 60).formatted(.iso8601)
        try await installation.run(["audit", "close", "--before", soon, "--exported"]).succeeded()
        let rest = try await exported()
        #expect(rest.split(separator: "\n").count < export.split(separator: "\n").count)
        try await check(rest).succeeded()
        // The archive and the rest together are the whole trail.
        try await check(export + rest).succeeded()
    }

    @Test("It refuses by name what was altered, cut off or rewritten")
    func forged() async throws {
        let installation = fixture.installation
        let export = try await exported()
        let altered = try await check(export.replacing(#""outcome":"delivered""#, with: #""outcome":"wrong-code""#))
        #expect(altered.status == 1 && altered.stdout.contains("was altered or moved"), "\(altered)")

        let lines = export.split(separator: "\n").map(String.init)
        let seals = lines.filter { $0.contains(#""epoch":"#) }
        let last = try #require(seals.last)
        let members = try #require(try JSON(parsing: last).object)
        let (number, hash) = (try #require(members["seal"]?.integer), try #require(members["hash"]?.string))
        let witness = try TestFolder.shared.write(#"{"number":\#(number),"hash":"\#(hash)"}"#, named: "seal.json")
        let cut = try await check(lines.filter { $0 != last }.joined(separator: "\n"), "--witness", witness)
        #expect(cut.status == 1 && cut.stdout.contains("seal \(number) is missing or is another one"), "\(cut)")

        let signature = try #require(members["signature"]?.string)
        let unsigned = try await check(export.replacing(signature, with: String(signature.reversed())))
        #expect(unsigned.status == 1 && unsigned.stdout.contains("seal \(number) has a wrong signature"), "\(unsigned)")

        try await installation.attack(Attack.rewriteHistory)
        let rewritten = try await check(try await exported())
        #expect(
            rewritten.status == 1 && rewritten.stdout.contains("which is missing or is another one"), "\(rewritten)")
        #expect(!rewritten.stdout.contains("was altered"), "each entry has a right hash: \(rewritten)")
        try await installation.attack("UPDATE audit_seal SET key_id = 'forged'")
        let foreign = try await check(try await exported())
        #expect(foreign.status == 1 && foreign.stdout.contains("key forged, which is not known"), "\(foreign)")
        #expect(try await check("no JSON\n").status == 2)
    }
}
