import Foundation
import ServerHarness
import Testing

/// The audit trail in the database: what it says, and what an attacker with all rights in the database cannot hide.
@Suite("Audit trail in the database")
struct AuditTrailTests {
    private func entries(_ fixture: AuditFixture, _ arguments: String...) async throws -> [AuditEntry] {
        let json = try await fixture.installation.run(["audit", "show", "--json"] + arguments).succeeded().stdout
        return try JSONDecoder().decode([AuditEntry].self, from: Data(json.utf8))
    }

    @Test("Each operation has one entry with its true outcome and a pseudonym, and the trail is in order")
    func operations() async throws {
        let fixture = try await AuditFixture()
        #expect(try await fixture.fetch() == 0)
        var wrong = fixture.holder
        wrong.code = "Wrong4711"
        #expect(try await fixture.fetch(wrong) == 203)
        let issuer = try await fixture.installation.makeIssuer(for: fixture.bank, algorithm: .ed25519)
        #expect(try await fixture.server.call("DELETE", cardholder: fixture.holder.uniqueId, by: issuer).status == 204)

        let found = try await entries(fixture, "--bank", fixture.bank.id, "--cardholder", fixture.holder.uniqueId)
        #expect(found.map(\.operation) == ["delete-cardholder", "fetch", "fetch", "import"])
        #expect(found.map(\.outcome) == ["deleted", "wrong-code", "delivered", "created"])
        #expect(found.first?.actor.hasPrefix("key:") == true && found[2].actor == "app:TOKEN")
        #expect(found.last?.actor.hasPrefix("operator:") == true)
        #expect(Set(found.map(\.subject)).count == 1)
        #expect(try await Set(entries(fixture, "--operation", "import").map(\.outcome)) == ["created", "1 lines"])
        // Hashes, pseudonyms and numbers can have the digits of a PIN by chance.
        let text = try await fixture.installation.run(["audit", "export"]).succeeded().stdout
            .replacing(/"[0-9a-f]{32,}"|:[0-9]+/, with: "")
        #expect(text.contains("wrong-code"))
        for secret in [fixture.holder.uniqueId, "Code4711", "Wrong4711", "4917"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        try await fixture.untilSealed()
        let report = try await fixture.verify()
        #expect(report.faults == [] && report.unsealed == 0)
        // A seal is logged after its commit.
        try await eventually("the seal is logged") {
            !fixture.server.logLines(with: "trail=audit", "seal=").isEmpty
        }
    }

    @Test("A command's entries are in the transactions of its writes, and say who ran it")
    func commands() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(byCommands: true)
        let json = try await installation.run(["audit", "show", "--json", "--bank", bank.id]).succeeded().stdout
        let found = try JSONDecoder().decode([AuditEntry].self, from: Data(json.utf8))
        let operations = Set(found.map(\.operation))
        #expect(operations.isSuperset(of: ["bank add", "key import-hmac", "certificate import"]), "\(operations)")
        #expect(found.allSatisfy { $0.actor.hasPrefix("operator:") && $0.actor.contains("@") })
        try await installation.sql(Self.breaking)
        let refused = try await installation.run(["bank", "set", bank.id, "--retry-limit", "9"])
        #expect(refused.status != 0)
        let changed = "SELECT count(*) FROM bank WHERE settings LIKE '%retryLimit=9%'"
        #expect(try await installation.sql(changed) == ["0"])
    }

    @Test("A command about a cardholder has an entry with the pseudonym, and none with the name")
    func cardholderCommand() async throws {
        let fixture = try await AuditFixture()
        let (bank, name) = (fixture.bank.id, fixture.holder.uniqueId)
        try await fixture.installation.run(["cardholder", "set-status", "--bank", bank, name, "SUSPENDED"]).succeeded()
        let found = try await entries(fixture, "--bank", bank, "--cardholder", name)
        #expect(found.map(\.operation) == ["write-cardholder", "import"])
        #expect(found.first?.actor.hasPrefix("operator:") == true)
        #expect(try await !fixture.installation.run(["audit", "export"]).succeeded().stdout.contains(name))
    }

    @Test(
        "Each line of an import that changes something has an entry with the cardholder's pseudonym, in its transaction"
    )
    func importLines() async throws {
        let fixture = try await AuditFixture()
        let (bank, installation) = (fixture.bank.id, fixture.installation)
        let names = (0..<700).map { String(format: "line-%04d", $0) }
        let lines = names.map { #"{"uniqueId":"\#($0)","status":"SUSPENDED"}"# }
        let importLines = { (lines: [String]) in
            try await installation.run(
                ["cardholder", "import", "--bank", bank, "-"], stdin: lines.joined(separator: "\n"))
        }
        let count = "SELECT count(*), count(DISTINCT subject) FROM audit_entry WHERE operation = 'import'"
        let before = try await installation.sql(count)
        #expect(before == ["2|1"])
        try await importLines(lines).succeeded()
        // Two batches.
        #expect(try await installation.sql(count) == ["704|701"])
        // The same again changes nothing, and one line does.
        var changed = lines
        changed[3] = #"{"uniqueId":"\#(names[3])","op":"delete"}"#
        try await importLines(changed).succeeded()
        #expect(try await installation.sql(count) == ["707|701"])
        let found = try await entries(fixture, "--bank", bank, "--cardholder", names[3])
        #expect(found.map(\.outcome) == ["deleted", "created"])
        let text = try await installation.run(["audit", "export"]).succeeded().stdout
        #expect(!text.contains("line-0"))

        try await installation.sql(Self.breaking)
        #expect(try await importLines([lines[3]]).status != 0)
        #expect(try await installation.sql("SELECT count(*) FROM cardholder WHERE unique_id = '\(names[3])'") == ["0"])
    }

    private static let breaking = """
        CREATE FUNCTION break_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE disk_full; END';
        CREATE TRIGGER break_audit BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION break_audit()
        """

    @Test("Requests that are refused before they are authenticated are counted, not recorded one by one")
    func refusals() async throws {
        let fixture = try await AuditFixture()
        let app = try TestApp()
        for _ in 0..<3 {
            var body = try app.tokenCaptcha(fixture.bank, fixture.bank.token(for: fixture.holder))
            body["signature"] = "AAAA"
            _ = try await fixture.server.post(Path.tokenCaptcha, body)
        }
        #expect(try await fixture.server.request("GET", "/v1/banks/\(fixture.bank.id)/cardholders").status == 401)
        try await fixture.server.stop()
        let found = try await entries(fixture).filter { $0.actor == "unauthenticated" }
        #expect(found.map(\.bankId) == [fixture.bank.id, fixture.bank.id] || found.count > 2)
        #expect(found.contains { $0.operation == "back-end's call" && $0.subject == nil })
        let text = try await fixture.installation.run(["audit", "export"]).succeeded().stdout
        #expect(text.split(separator: "\n").filter { $0.contains("unauthenticated") }.count < 4)
        #expect(try await fixture.verify().faults == [])
    }

    @Test("If its entry cannot be written, an operation fails and does nothing")
    func failsClosed() async throws {
        let fixture = try await AuditFixture()
        try await fixture.installation.sql(Self.breaking)
        #expect(try await fixture.fetch() != 0)
        #expect(try await fixture.installation.sql("SELECT count(*) FROM delivery_session") == ["0"])
        #expect(try await fixture.installation.sql("SELECT count(*) FROM spent_transaction") == ["0"])
        try await fixture.installation.sql("DROP FUNCTION break_audit CASCADE")
        #expect(try await fixture.fetch() == 0)
    }

    @Test("The role that serves can only add to the trail")
    func addOnly() async throws {
        let fixture = try await AuditFixture()
        for statement in [
            "UPDATE audit_entry SET outcome = 'delivered'", "DELETE FROM audit_entry", "TRUNCATE audit_entry",
            "UPDATE audit_seal SET note = 'x'", "DELETE FROM audit_seal",
        ] {
            await #expect(throws: (any Error).self, "\(statement)") {
                _ = try await fixture.installation.sqlAsServer(statement)
            }
        }
    }

    /// Each has a statement that only an attacker with all rights in the database can run, and a part of what is found.
    private static let attacks = [
        ("UPDATE audit_entry SET outcome = 'delivered' WHERE outcome = 'wrong-code'", "was altered"),
        ("UPDATE audit_entry SET actor = 'operator:nobody' WHERE operation = 'bank add'", "was altered"),
        (
            "UPDATE audit_entry SET rows = set_byte(rows, 40, get_byte(rows, 40) # 1) WHERE outcome = 'wrong-code'",
            "was altered"
        ),
        ("DELETE FROM audit_entry WHERE outcome = 'wrong-code'", "are missing before"),
        (
            """
            UPDATE audit_entry AS one SET outcome = other.outcome, operation = other.operation
            FROM audit_entry AS other WHERE one.outcome = 'wrong-code' AND other.outcome = 'delivered'
            """, "was altered"
        ),
        (
            "DELETE FROM audit_entry WHERE chain_id = (SELECT min(chain_id) FROM audit_entry)",
            "is missing or is another one"
        ),
        (
            """
            DELETE FROM audit_entry AS gone WHERE sequence = (
                SELECT max(sequence) FROM audit_entry WHERE chain_id = gone.chain_id)
            """, "is missing or is another one"
        ),
        ("UPDATE audit_seal SET heads = '' WHERE number = 1", "seal 1 was altered"),
        ("UPDATE audit_seal SET signature = set_byte(signature, 3, get_byte(signature, 3) # 1)", "wrong signature"),
        ("UPDATE audit_seal SET number = number + 1000", "seals are missing before seal"),
        ("UPDATE audit_seal SET key_id = 'another'", "which is not known"),
    ]

    @Test("Altered, dropped and reordered entries and seals are found", arguments: attacks)
    func attack(_ statement: String, _ finding: String) async throws {
        let fixture = try await AuditFixture()
        var wrong = fixture.holder
        wrong.code = "Wrong4711"
        // On each connection of the server.
        for _ in 0..<4 { _ = try await fixture.fetch() }
        #expect(try await fixture.fetch(wrong) == 203)
        try await fixture.fetchUntilFollowed("wrong-code")
        try await fixture.untilSealed()
        try await fixture.server.stop()
        #expect(try await fixture.verify().faults == [])
        let changed = try await fixture.installation.sql(
            "WITH changed AS (\(statement) RETURNING 1) SELECT count(*) FROM changed")
        try #require(changed != ["0"], "the attack has changed nothing")
        let faults = try await fixture.verify().faults
        #expect(faults.contains { $0.contains(finding) }, "\(faults)")
    }

    @Test("An end that was cut off with its seals is found with a seal that the vault or somebody else knows")
    func cutTail() async throws {
        let fixture = try await AuditFixture()
        try await fixture.untilSealed()
        let early = try await fixture.verify().seals
        #expect(try await fixture.fetch() == 0)
        try await fixture.untilSealed()
        try await fixture.server.stop()
        let last = try await fixture.installation.sql(
            "SELECT number || ':' || encode(hash, 'hex') FROM audit_seal ORDER BY number DESC LIMIT 1")[0]
        #expect(try await fixture.verify("--last-seal", last).faults == [])
        // The attacker leaves a trail that is right in itself.
        try await fixture.installation.sql(
            """
            DELETE FROM audit_seal WHERE number > \(early);
            DELETE FROM audit_entry WHERE operation = 'fetch'
            """)
        let found = try await fixture.verify().faults
        #expect(found.count == 1 && found[0].contains("cut off"), "the vault knows the seal: \(found)")
        // Somebody who controls the vault too.
        try FileManager.default.removeItem(atPath: "\(fixture.installation.dataDirectory)/vault.key.audit-mark")
        #expect(try await fixture.verify().faults == [])
        let faults = try await fixture.verify("--last-seal", last).faults
        #expect(faults.count == 1 && faults[0].contains("cut off"), "\(faults)")
        let garbled = try await fixture.installation.run(["audit", "verify", "--last-seal", "7"])
        #expect(garbled.status == 65)
    }

    @Test("An export goes on where the last one ended, and leaves nothing out")
    func export() async throws {
        let fixture = try await AuditFixture()
        let cursor = TestFolder.shared.unused("cursor")
        let arguments = ["audit", "export", "--cursor-file", cursor]
        let first = try await fixture.installation.run(arguments).succeeded().stdout.split(separator: "\n")
        #expect(try await fixture.fetch() == 0)
        try await fixture.untilSealed()
        let second = try await fixture.installation.run(arguments).succeeded().stdout.split(separator: "\n")
        #expect(second.contains { $0.contains(#""operation":"fetch""#) })
        #expect(second.contains { $0.contains(#""seal":"#) })
        #expect(Set(first).isDisjoint(with: second))
        let whole = try await fixture.installation.run(["audit", "export"]).succeeded().stdout.split(separator: "\n")
        let entries = Set(whole.filter { $0.contains(#""operation""#) })
        #expect(entries.isSubset(of: Set(first + second)))
        try "{".write(toFile: cursor, atomically: true, encoding: .utf8)
        #expect(try await fixture.installation.run(arguments).status == 65)
    }

    @Test("After a restore, a new epoch begins with a signed seal")
    func epoch() async throws {
        let fixture = try await AuditFixture()
        try await fixture.untilSealed()
        let result = try await fixture.installation.run(["audit", "new-epoch", "--reason", "restored a backup"])
            .succeeded()
        #expect(result.stdout.contains("epoch 2 begins"))
        #expect(
            try await fixture.installation.sql("SELECT note FROM audit_seal WHERE kind = 'epoch'") == [
                "restored a backup"
            ])
        #expect(try await fixture.verify().faults == [])
    }
}
