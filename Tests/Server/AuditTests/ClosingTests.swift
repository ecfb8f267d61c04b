import Foundation
import ServerHarness
import Testing

/// Closing the oldest part of the trail: it goes, and the rest still proves itself.
@Suite("Closing a part of the audit trail")
struct ClosingTests {
    /// Two seals; then the time, and more of both. At least one chain has entries from before and after the time.
    private static func trail() async throws -> (fixture: AuditFixture, time: String) {
        let fixture = try await AuditFixture()
        try await fixture.untilSealed()
        for _ in 0..<4 { _ = try await fixture.fetch() }
        try await fixture.untilSealed()
        try await Task.sleep(for: .seconds(1))
        let time = Date().formatted(.iso8601)
        try await Task.sleep(for: .seconds(1))
        // Which connection a request gets is up to the server.
        try await eventually("a chain goes on after the time") {
            _ = try await fixture.fetch()
            return try await !fixture.installation.sql(
                """
                SELECT 1 FROM audit_entry GROUP BY chain_id
                HAVING min(occurred_at) < '\(time)' AND max(occurred_at) > '\(time)'
                """
            ).isEmpty
        }
        try await fixture.untilSealed()
        return (fixture, time)
    }

    private static func close(_ fixture: AuditFixture, before time: String, _ options: [String] = ["--exported"])
        async throws
        -> CommandResult
    {
        try await fixture.installation.run(["audit", "close", "--before", time, "--json"] + options)
    }

    @Test("What was sealed before a time is removed with its seals, the rest verifies, and the chains go on")
    func closes() async throws {
        let (fixture, time) = try await Self.trail()
        let installation = fixture.installation
        let before = try await fixture.verify()
        #expect(before.faults == [])
        let known = try await installation.sql(
            "SELECT number || ':' || encode(hash, 'hex') FROM audit_seal ORDER BY number DESC LIMIT 1")[0]
        let first = try await installation.sql(
            "SELECT number || ':' || encode(hash, 'hex') FROM audit_seal WHERE number = 1")[0]
        let chains = try await installation.sql(
            "SELECT chain_id, max(sequence) FROM audit_entry GROUP BY chain_id ORDER BY chain_id")

        let result = try await Self.close(fixture, before: time).succeeded()
        let members = try JSON(parsing: result.stdout).object ?? [:]
        #expect((members["removedEntries"]?.integer ?? 0) > 4)
        let after = try await fixture.verify()
        #expect(after.faults == [])
        #expect(after.entries < before.entries + 10 && after.seals <= before.seals)
        #expect(try await installation.sql("SELECT count(*) FROM audit_seal WHERE sealed_at < '\(time)'") == ["0"])
        #expect(try await installation.sql("SELECT count(*) FROM audit_entry WHERE operation = 'bank add'") == ["0"])
        // A seal from after the closed part proves as before; one from within it cannot be compared any more.
        #expect(try await fixture.verify("--last-seal", known).faults == [])
        let old = try await fixture.verify("--last-seal", first).faults
        #expect(old.count == 1 && old[0].contains("was closed up to seal"), "\(old)")

        // Everything that is there now is closed, so that some chains have no entry left. They go on, and none begins anew.
        try await fixture.untilSealed()
        try await Task.sleep(for: .seconds(1))
        try await Self.close(fixture, before: Date().formatted(.iso8601)).succeeded()
        for _ in 0..<8 { _ = try await fixture.fetch() }
        try await fixture.untilSealed()
        #expect(try await fixture.verify().faults == [])
        let living = try await installation.sql(
            "SELECT chain_id, min(sequence) FROM audit_entry GROUP BY chain_id ORDER BY chain_id")
        let ends = Dictionary(chains.map(Self.pair)) { $1 }
        #expect(living.map(Self.pair).contains { chain, sequence in ends[chain] != nil && sequence > 1 })
        #expect(living.map(Self.pair).allSatisfy { chain, sequence in sequence > ends[chain] ?? 0 })

        let again = try await Self.close(fixture, before: time)
        #expect(again.status == 1 && again.stderr.contains("there is no seal before"))
    }

    private static func pair(_ row: String) -> (String, Int) {
        let parts = row.split(separator: "|")
        return (String(parts[0]), Int(parts[1]) ?? 0)
    }

    /// What an attacker with all rights in the database can do to a trail that was closed, and a part of what is found.
    private static let attacks = [
        ("DELETE FROM audit_seal WHERE kind = 'closing'", "are missing before"),
        ("UPDATE audit_seal SET named_hash = sha256(named_hash) WHERE kind = 'closing'", "was altered"),
        ("UPDATE audit_seal SET named_number = named_number + 1 WHERE kind = 'closing'", "was altered"),
        (
            "UPDATE audit_seal SET heads = set_byte(heads, 11, get_byte(heads, 11) + 1) WHERE kind = 'closing'",
            "was altered"
        ),
        ("UPDATE audit_seal SET heads = '' WHERE kind = 'closing'", "are missing before"),
        (
            "UPDATE audit_seal SET signature = set_byte(signature, 3, get_byte(signature, 3) # 1) WHERE kind = 'closing'",
            "wrong sig"
        ),
        (
            """
            DELETE FROM audit_entry AS gone WHERE sequence = (
                SELECT min(sequence) FROM audit_entry WHERE chain_id = gone.chain_id)
            AND EXISTS (SELECT 1 FROM audit_entry WHERE chain_id = gone.chain_id AND sequence > gone.sequence)
            """, "are missing before"
        ),
        (
            """
            UPDATE audit_entry AS first SET outcome = 'wrong-code' WHERE sequence = (
                SELECT min(sequence) FROM audit_entry WHERE chain_id = first.chain_id)
            """, "was altered"
        ),
        // A closing that closes itself would never be read.
        (
            """
            UPDATE audit_seal SET number = 1, named_number = (SELECT max(number) FROM audit_seal),
                named_hash = (SELECT hash FROM audit_seal ORDER BY number DESC LIMIT 1)
            WHERE kind = 'closing'
            """, "was altered"
        ),
        // A forged closing, without the key: a later seal becomes one that closes more.
        (
            """
            UPDATE audit_seal SET kind = 'closing', named_number = number - 1,
                named_hash = (SELECT hash FROM audit_seal AS before WHERE before.number = audit_seal.number - 1)
            WHERE number = (SELECT max(number) FROM audit_seal) AND kind = 'regular'
            """, "was altered"
        ),
    ]

    @Test(
        "After a closing, altered, dropped and forged entries and seals are found, and so is a removal without a closing"
    )
    func attacked() async throws {
        let (fixture, time) = try await Self.trail()
        let installation = fixture.installation
        try await fixture.untilSealed()
        let save = { (name: String) in
            _ = try await installation.sql(
                "CREATE TABLE \(name)_entry AS TABLE audit_entry; CREATE TABLE \(name)_seal AS TABLE audit_seal")
        }
        let restore = { (name: String) in
            _ = try await installation.sql(
                """
                TRUNCATE audit_entry, audit_seal; INSERT INTO audit_entry TABLE \(name)_entry;
                INSERT INTO audit_seal TABLE \(name)_seal
                """)
        }
        try await save("open")
        try await Self.close(fixture, before: time).succeeded()
        // The entries of the command are sealed, after its closing.
        try await fixture.untilSealed()
        try await fixture.server.stop()
        try await save("closed")
        #expect(try await fixture.verify().faults == [])
        // The attacker is not bound by constraints.
        try await installation.sql("ALTER TABLE audit_seal DROP CONSTRAINT a_seal_names_an_earlier_one")
        for (statement, finding) in Self.attacks {
            let changed = try await installation.sql(
                "WITH changed AS (\(statement) RETURNING 1) SELECT count(*) FROM changed")
            #expect(changed != ["0"], "the attack has changed nothing: \(statement)")
            let faults = try await fixture.verify().faults
            #expect(faults.contains { $0.contains(finding) }, "\(statement): \(faults)")
            try await restore("closed")
            #expect(try await fixture.verify().faults == [])
        }

        // As after a kill: the closing is there, and a part of what it closes too.
        try await installation.sql(
            """
            INSERT INTO audit_entry SELECT * FROM open_entry ORDER BY chain_id DESC, sequence DESC ON CONFLICT DO NOTHING;
            INSERT INTO audit_seal SELECT * FROM open_seal ON CONFLICT DO NOTHING;
            DELETE FROM audit_entry WHERE sequence = 1 AND (chain_id, sequence) NOT IN (
                SELECT chain_id, sequence FROM closed_entry)
            """)
        #expect(try await fixture.verify().faults == [])
        let finished = try await Self.close(fixture, before: "2020-01-01T00:00:00Z").succeeded()
        #expect(finished.stdout.contains(#""removedEntries":"#))
        #expect(try await fixture.verify().faults == [])
        #expect(
            try await installation.sql(
                "SELECT count(*) FROM audit_entry JOIN open_entry USING (chain_id, sequence) WHERE audit_entry.operation = 'bank add'"
            )
                == ["0"])

        // The same rows removed without a closing.
        try await restore("open")
        try await installation.sql(
            "DELETE FROM audit_entry WHERE (chain_id, sequence) NOT IN (SELECT chain_id, sequence FROM closed_entry)")
        let faults = try await fixture.verify().faults
        #expect(faults.contains { $0.contains("are missing before") }, "\(faults)")
    }

    @Test(
        "A server adds no seal after a forged closing, which would vouch for it, and a new epoch does not vouch for it either"
    )
    func forged() async throws {
        let fixture = try await AuditFixture()
        let installation = fixture.installation
        try await fixture.untilSealed()
        // Right in everything except the signature: it closes all that there is.
        try await installation.sql(
            """
            WITH forged AS (
                SELECT number + 1 AS number, epoch, sealed_at, number AS named_number, hash AS named_hash, (
                    SELECT string_agg(int4send(chain_id) || int8send(sequence) || hash, '' ORDER BY chain_id) FROM audit_head
                ) AS heads
                FROM audit_seal ORDER BY number DESC LIMIT 1
            )
            INSERT INTO audit_seal
                (number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature)
            SELECT number, epoch, 'closing', sealed_at, '', heads, ''::bytea, named_number, named_hash, named_hash,
                sha256(int8send(number) || int4send(epoch) || timestamptz_send(sealed_at) || int4send(7) || 'closing'
                    || int4send(0) || int4send(length(heads)) || heads || int4send(0) || int4send(32) || named_hash || int4send(5) || 'stray'
                    || int4send(40) || int8send(named_number) || named_hash), 'stray', '\\x00'
            FROM forged;
            DELETE FROM audit_entry
            """)
        let faults = try await fixture.verify().faults
        #expect(faults.count == 1 && faults[0].contains("which is not known"), "\(faults)")
        let seals = try await installation.sql("SELECT count(*) FROM audit_seal")
        _ = try await fixture.fetch()
        try await eventually("the server alarms") {
            !fixture.server.logLines(with: "critical", "is not signed with a key of this server").isEmpty
        }
        #expect(try await installation.sql("SELECT count(*) FROM audit_seal") == seals)
        try await installation.run(["audit", "new-epoch", "--reason", "the operator goes on"]).succeeded()
        try await fixture.untilSealed()
        let later = try await fixture.verify().faults
        #expect(later.contains { $0.contains("which is not known") }, "\(later)")
        let closed = try await Self.close(fixture, before: Date().formatted(.iso8601))
        #expect(closed.status == 1 && closed.stderr.contains("could not be verified"), "\(closed)")
    }

    @Test("A trail that does not verify is not closed, and neither is what the cursor has not exported")
    func refusals() async throws {
        let (fixture, time) = try await Self.trail()
        let installation = fixture.installation
        for options in [[], ["--exported", "--cursor-file", "x"]] {
            #expect(try await Self.close(fixture, before: time, options).status == 64)
        }
        #expect(try await Self.close(fixture, before: "yesterday").status == 64)
        #expect(try await Self.close(fixture, before: time, ["--cursor-file", "/nowhere"]).status == 66)

        // The role that serves cannot close.
        let serving = try await TestCommand.run(
            CardCompanionBinary.path, ["audit", "close", "--before", time, "--exported"],
            environment: ["DATABASE_URL": installation.databaseURL, "DATA_DIRECTORY": installation.dataDirectory])
        #expect(serving.status == 78 && serving.stderr.contains("does not own the schema"), "\(serving)")

        let cursor = try TestFolder.shared.write(#"{"chains":{},"seal":{"number":0,"hash":""}}"#, named: "cursor")
        let early = try await Self.close(fixture, before: time, ["--cursor-file", cursor])
        #expect(early.status == 1 && early.stderr.contains("not everything"), "\(early)")
        let export = ["audit", "export", "--cursor-file", cursor]
        let first = try await installation.run(export).succeeded().stdout.split(separator: "\n")

        let outcome = "UPDATE audit_entry SET outcome = 'x' || outcome WHERE operation = 'bank add'"
        try await installation.sql(outcome)
        let damaged = try await Self.close(fixture, before: time, ["--cursor-file", cursor])
        #expect(damaged.status == 1 && damaged.stderr.contains("could not be verified"), "\(damaged)")
        try await installation.sql("UPDATE audit_entry SET outcome = substr(outcome, 2) WHERE operation = 'bank add'")

        try await Self.close(fixture, before: time, ["--cursor-file", cursor]).succeeded()
        _ = try await fixture.fetch()
        try await fixture.untilSealed()
        // The export goes on where it was, and writes nothing twice.
        let second = try await installation.run(export).succeeded().stdout.split(separator: "\n")
        #expect(Set(first).isDisjoint(with: second))
        #expect(
            second.contains { $0.contains(#""operation":"fetch""#) }
                && second.contains { $0.contains(#""kind":"closing""#) })
    }
}
