import CardCompanionModel
import CardCompanionStore
import Foundation
import KeyVault
import ServerHarness
import Testing

/// Rows of cardholders and passes, compared with what the audit trail says about them.
@Suite("Rows of cardholders in the audit trail")
struct CardholderRowTests {
    private static let day: Int64 = 86_400

    @Test("After each kind of change, every row is as the entries say")
    func genuine() async throws {
        try await LocalTrail.run { trail in
            let fixture = try await AuditFixture(on: trail.installation)
            let (bank, installation) = (fixture.bank, fixture.installation)
            let name = fixture.holder.uniqueId
            try await Self.use(fixture)
            try await Self.givePasses(to: name, of: bank, in: trail)
            #expect(try await fixture.verify("--cardholders").rows?.passes == 1)

            // New seals.
            let later = trail.clock.now.advanced(bySeconds: 400 * Self.day)
            for column in [KeyedColumn.pin, .freeField] {
                let start = KeyedRow(bankId: "", rowId: "")
                let old = try await trail.store.values(of: column, notUnder: 0, after: start, limit: 100)
                let values = old.compactMap { row, value in
                    value.map { ResealedValue(row: row, old: $0, new: $0 + [0]) }
                }
                #expect(!values.isEmpty)
                try await trail.store.replaceInCardholders(values, in: column, now: later)
            }
            #expect(try await fixture.verify("--cardholders").faults == [])

            // What expires.
            for kind in ExpiredKind.allCases where kind != .serverKeys {
                _ = try await trail.store.removeExpired(kind, before: later, limit: 100)
            }
            #expect(try await installation.sql("SELECT count(*) FROM identity_pass") == ["0"])
            let waiting = "SELECT count(*) FROM cardholder WHERE pin_expires_at IS NOT NULL"
            #expect(try await installation.sql(waiting) == ["0"])
            #expect(try await fixture.verify("--cardholders").faults == [])

            // A restored database.
            try await installation.provision([TestCardholder(name, pin: "1639")], of: bank, through: fixture.server)
            try await Self.givePasses(to: name, of: bank, in: trail)
            try await fixture.server.stop()
            let restored = try await installation.run(
                ["database", "restored", "--backup-time", Date().formatted(.iso8601)]
            ).succeeded()
            #expect(restored.stdout.contains("erased 1 PINs"), "\(restored)")
            #expect(try await installation.sql("SELECT count(*) FROM identity_pass") == ["0"])

            let report = try await fixture.verify("--cardholders", "--bank", bank.id)
            #expect(report.faults == [] && report.rows?.cardholders == 2)
            #expect(try await fixture.verify("--cardholders").faults == [])
            try await installation.run(["bank", "set", bank.id, "--status", "DISABLED"]).succeeded()
            try await installation.run(["bank", "remove", bank.id, "--confirm", bank.id]).succeeded()
            let removed = try await fixture.verify("--cardholders")
            #expect(removed.faults == [] && removed.rows?.cardholders == 0)
        }
    }

    /// Every change of a cardholder that requests, calls, imports and commands make. Two cardholders are left, with PINs that expire.
    private static func use(_ fixture: AuditFixture) async throws {
        let (bank, server, installation) = (fixture.bank, fixture.server, fixture.installation)
        var wrong = fixture.holder
        wrong.code = "Wrong4711"
        #expect(try await fixture.fetch(wrong) == 203)
        #expect(try await fixture.fetch() == 0)
        try await installation.sql(
            """
            SELECT append_audit(
                p_now => now(), p_operation => 'fetch', p_outcome => 'taken-back', p_bank_id => bank_id, p_subject => NULL,
                p_actor => 'app:TOKEN', p_detail => NULL, p_rows => take_back_fetch(
                    p_bank_id => bank_id, p_unique_id => unique_id, p_session_id => session_id,
                    p_transaction_digest => NULL, p_hmac_digest => NULL))
            FROM (SELECT * FROM delivery_session WHERE notified_status IS NULL) AS session
            """)
        #expect(try await fixture.deliver() == 0)
        let issuer = try await installation.makeIssuer(for: bank)
        let key = try await server.sealingKey()
        let (other, gone) = (TestCardholder(pin: "8306", freeField: "Hello"), TestCardholder())
        for holder in [other, gone] {
            let body = try holder.members(sealedTo: key, of: bank.id)
            #expect(try await server.call("PUT", cardholder: holder.uniqueId, body, by: issuer).status == 201)
        }
        let patch: [String: JSON] = ["freeField": "Bye", "accessibility": "text"]
        #expect(try await server.call("PATCH", cardholder: other.uniqueId, patch, by: issuer).status == 200)
        #expect(try await server.call("DELETE", cardholder: gone.uniqueId, by: issuer).status == 204)
        #expect(try await fixture.define(with: key) == 0)
        let (lines, back) = (TestCardholder(), TestCardholder(fixture.holder.uniqueId, pin: "5063"))
        try await installation.provision([lines, back], of: bank, through: server)
        let deletion = #"{"uniqueId":"\#(lines.uniqueId)","op":"delete"}"#
        try await installation.run(["cardholder", "import", "--bank", bank.id, "-"], stdin: deletion).succeeded()
        let named = ["--bank", bank.id, other.uniqueId]
        try await installation.run(["cardholder", "unlock"] + named).succeeded()
        try await installation.run(["cardholder", "set-status"] + named + ["SUSPENDED"]).succeeded()
    }

    /// A pass, and a second one that takes its place.
    private static func givePasses(to name: String, of bank: TestBank, in trail: LocalTrail) async throws {
        let client = Unique.name("client")
        try await trail.installation.addDocumentClient(client, to: bank)
        let (bankId, uniqueId) = (try #require(Identifier(bank.id)), try #require(Identifier(name)))
        let note = AuditNote(subject: nil, actor: "test")
        let now = trail.clock.now
        for number in 0..<2 {
            let validation = SpentDigest(bytes: Array(repeating: UInt8(number), count: 16))
            let check = IdentityCheckRecord(
                bankId: bankId, uniqueId: uniqueId, clientId: client, validation: validation, expectationMAC: [0],
                expectation: .person, createdAt: now, expiresAt: now.advanced(bySeconds: 600))
            #expect(try await trail.store.makeIdentityCheck(check, audit: note) == .created)
            let session = try #require(
                try await trail.store.beginIdentitySession(
                    bankId: bankId, clientId: client, validation: validation, sessionId: Unique.name("session"),
                    now: now, endsAt: now.advanced(bySeconds: 60)))
            let pass = IdentityPassRecord(
                validation: validation, passedAt: now, expiresAt: now.advanced(bySeconds: 600),
                mac: Array(repeating: 0, count: 36))
            #expect(try await trail.store.passIdentityCheck(session, pass, data: "{}", audit: note))
        }
    }

    /// What somebody with all rights in the database does to a cardholder, and what is found. `kept` has all rows of an earlier
    /// time; since then, the PIN was replaced, and the code was locked.
    private static let attacks: [(name: String, statement: String, finding: String)] = [
        (
            "old-pin",
            "UPDATE cardholder AS c SET sealed_pin = k.sealed_pin FROM kept AS k WHERE c.row_id = k.row_id AND ",
            "was changed without an entry after"
        ),
        (
            "unlocked", "UPDATE cardholder AS c SET authentication_failures = 0 WHERE ",
            "was changed without an entry after"
        ),
        (
            "old-row",
            """
            DELETE FROM cardholder AS c WHERE unique_id = 'old-row'; INSERT INTO cardholder SELECT * FROM kept AS c WHERE
            """, "was changed without an entry after"
        ),
        ("deleted", "DELETE FROM cardholder AS c WHERE ", "is gone without an entry after"),
        (
            "invented",
            """
            UPDATE kept SET unique_id = 'invented', row_id = nextval('audited_row') WHERE unique_id = 'model';
            INSERT INTO cardholder SELECT * FROM kept AS c WHERE
            """, "has no entry"
        ),
        (
            "back-again", "INSERT INTO cardholder SELECT * FROM kept AS c WHERE ",
            "is there, although it was removed with"
        ),
        (
            "passed",
            """
            INSERT INTO identity_pass SELECT bank_id, unique_id, nextval('audited_row'), sha256('')::bytea, now(),
                now() + interval '1 hour', repeat('a', 36)::bytea FROM cardholder AS c WHERE
            """, "has no entry"
        ),
        ("untouched", "", ""),
    ]

    @Test("A row that somebody has changed in the database is found by its name")
    func attacked() async throws {
        let fixture = try await AuditFixture()
        let (bank, server, installation) = (fixture.bank, fixture.server, fixture.installation)
        let holders = (Self.attacks.map(\.name) + ["model"]).filter { $0 != "invented" }.map { TestCardholder($0) }
        try await installation.provision(holders, of: bank, through: server)
        try await installation.sql("CREATE TABLE kept AS TABLE cardholder")
        let issuer = try await installation.makeIssuer(for: bank)
        let key = try await server.sealingKey()
        for holder in holders {
            let body = try TestCardholder(holder.uniqueId, pin: "8306").members(sealedTo: key, of: bank.id)
            #expect(try await server.call("PUT", cardholder: holder.uniqueId, body, by: issuer).status == 200)
            var wrong = holder
            wrong.code = "Wrong4711"
            for _ in 0..<3 { _ = try await fixture.fetch(wrong) }
        }
        #expect(try await server.call("DELETE", cardholder: "back-again", by: issuer).status == 204)
        #expect(try await fixture.verify("--cardholders").faults == [])
        for attack in Self.attacks where !attack.statement.isEmpty {
            let statement = attack.statement.replacing("sha256('')::bytea", with: "substring(sha256('') FOR 16)")
            try await installation.attack("\(statement) c.unique_id = '\(attack.name)'")
        }
        // The attacker uses what was changed. That is recorded, and hides nothing.
        for name in ["old-pin", "unlocked", "old-row"] {
            let holder = try #require(holders.first { $0.uniqueId == name })
            #expect(try await fixture.fetch(holder) == (name == "old-pin" ? 307 : 0), "\(name)")
        }

        let report = try await fixture.verify("--cardholders")
        let rows = try #require(report.rows)
        #expect(rows.faultCount == Self.attacks.count - 1 && rows.faults.count == rows.faultCount, "\(rows)")
        #expect(Set(report.faults) == Set(rows.faults.map(\.text)))
        for attack in Self.attacks where !attack.statement.isEmpty && attack.name != "deleted" {
            let found = rows.faults.first { $0.uniqueId == attack.name }
            #expect(found?.text.contains(attack.finding) == true && found?.bankId == bank.id, "\(attack.name): \(rows)")
            #expect(found?.table == (attack.name == "passed" ? "identity_pass" : "cardholder"))
        }
        // A row that is gone has no name any more, but its entries have the pseudonym.
        let json = try await installation.run(
            ["audit", "show", "--json", "--bank", bank.id, "--cardholder", "deleted"]
        ).succeeded().stdout
        let subject = try JSONDecoder().decode([AuditEntry].self, from: Data(json.utf8)).first?.subject
        let gone = rows.faults.first { $0.subject == subject }
        #expect(gone?.text.contains("is gone without an entry after") == true && gone?.uniqueId == nil, "\(rows)")

        let one = try await fixture.verify("--cardholders", "--bank", bank.id)
        #expect(one.rows?.faultCount == Self.attacks.count - 2, "without the row that is gone")
        #expect(try await installation.run(["audit", "verify", "--cardholders", "--bank", "NONE"]).status == 66)
        #expect(try await installation.run(["audit", "verify", "--bank", bank.id]).status == 64)
        #expect(try await fixture.verify().faults == [])
    }

    @Test("A pass that was used is found when it is put back, and a function that makes up digests is refused")
    func putBack() async throws {
        try await LocalTrail.run { trail in
            let fixture = try await AuditFixture(on: trail.installation)
            try await Self.givePasses(to: fixture.holder.uniqueId, of: fixture.bank, in: trail)
            try await trail.installation.sql("CREATE TABLE kept AS TABLE identity_pass")
            let later = trail.clock.now.advanced(bySeconds: Self.day)
            _ = try await trail.store.removeExpired(.identityPasses, before: later, limit: 100)
            #expect(try await fixture.verify("--cardholders").faults == [])
            try await trail.installation.attack("INSERT INTO identity_pass TABLE kept")
            let faults = try await fixture.verify("--cardholders").faults
            #expect(faults.count == 1 && faults[0].contains("the pass of cardholder"), "\(faults)")
            #expect(faults[0].contains("is there, although it was removed"))

            try await trail.installation.attack(
                """
                DELETE FROM identity_pass;
                CREATE OR REPLACE FUNCTION cardholder_digest(p_row cardholder) RETURNS bytea LANGUAGE sql STABLE AS $$
                    SELECT sha256('made up') $$
                """)
            let replaced = try await trail.installation.run(["audit", "verify", "--cardholders"])
            #expect(replaced.status == 78 && replaced.stderr.contains("(cardholder_digest)"), "\(replaced)")
        }
    }

    @Test("Rows whose entries were closed are still compared, and a closing hides no change")
    func closed() async throws {
        try await LocalTrail.run { trail in
            let fixture = try await AuditFixture(on: trail.installation)
            let installation = fixture.installation
            let server = trail.server()
            let other = TestCardholder()
            let named = ["--bank", fixture.bank.id, other.uniqueId]
            try await installation.provision([other], of: fixture.bank, through: fixture.server)
            try await fixture.server.stop()
            let tomorrow = Date(timeIntervalSince1970: TimeInterval(trail.clock.now.seconds + Self.day))
                .formatted(.iso8601)
            let close = ["audit", "close", "--before", tomorrow, "--exported"]
            // Everything is closed, twice.
            for round in ["first", "second"] {
                try await trail.seal(round, by: server)
                try await installation.run(close).succeeded()
                let report = try await fixture.verify("--cardholders")
                #expect(report.faults == [] && report.rows?.cardholders == 2, "\(round): \(report)")
                let status = round == "first" ? "SUSPENDED" : "ACTIVE"
                try await installation.run(["cardholder", "set-status"] + named + [status]).succeeded()
                #expect(try await fixture.verify("--cardholders").faults == [])
            }
            // What an interrupted closing has carried on does not count.
            try await trail.store.carryRows(
                Array(repeating: 1, count: 48), detail: "rows of another closing", now: trail.clock.now)
            #expect(try await fixture.verify("--cardholders").faults == [])

            let counted = "UPDATE cardholder SET unconfirmed_fetches = 7"
            try await installation.attack("\(counted) WHERE unique_id = '\(other.uniqueId)'")
            let changed = try await fixture.verify("--cardholders").faults
            #expect(changed.count == 1 && changed[0].contains(other.uniqueId), "\(changed)")
            try await installation.run(["cardholder", "unlock"] + named).succeeded()
            try await trail.seal("third", by: server)
            let refused = try await installation.run(close)
            #expect(refused.status == 1 && refused.stderr.contains("1 rows of cardholders"), "\(refused)")
            try await installation.run(close + ["--accept-changed-rows"]).succeeded()
            #expect(try await fixture.verify("--cardholders").faults == [])
        }
    }
}
