import ServerHarness
import Testing

/// The keys with which servers sign the seals of the audit trail.
@Suite("Keys that sign seals")
struct SealKeyTests {
    /// The names of the signing keys: first the active one.
    private func keys(_ installation: TestInstallation) async throws -> [String] {
        try await installation.sql(
            "SELECT key_id FROM server_key WHERE kind = 'SIGNING' ORDER BY status, created_at DESC")
    }

    @Test("When a key is rotated and retired with no work in between, its seals verify, and servers add further ones")
    func retired() async throws {
        let fixture = try await AuditFixture()
        let installation = fixture.installation
        #expect(try await fixture.fetch() == 0)
        try await fixture.untilSealed()
        try await fixture.server.stop()
        let old = try #require(try await keys(installation).first)
        try await installation.run(["server-key", "rotate", "--kind", "SIGNING"]).succeeded()
        try await installation.run(["server-key", "retire", "--force", old]).succeeded()
        let isErased = "SELECT 1 FROM server_key WHERE key_id = '\(old)' AND sealed_key IS NULL"
        #expect(try await installation.sql(isErased).count == 1)
        #expect(try await fixture.verify().faults == [])

        let before = try await installation.sql("SELECT max(number) FROM audit_seal")
        let second = try await installation.startServer()
        let token = fixture.bank.token(for: fixture.holder)
        #expect(try await second.post(Path.tokenCaptcha, TestApp().tokenCaptcha(fixture.bank, token)).code == 0)
        try await installation.untilSealed()
        let report = try await fixture.verify()
        #expect(report.faults == [] && report.damagedRows == [])
        #expect(try await installation.sql("SELECT max(number) FROM audit_seal") != before)
        #expect(try await installation.sql("SELECT count(DISTINCT key_id) FROM audit_seal") == ["2"])
    }

    @Test("The public half of a retired key that somebody has put into the database is not believed")
    func forged() async throws {
        let fixture = try await AuditFixture()
        let installation = fixture.installation
        try await fixture.untilSealed()
        try await fixture.server.stop()
        let old = try #require(try await keys(installation).first)
        try await installation.run(["server-key", "rotate", "--kind", "SIGNING"]).succeeded()
        try await installation.run(["server-key", "retire", "--force", old]).succeeded()
        // A half that is right in another row.
        try await installation.sqlAsSuperuser(
            """
            SET session_replication_role = replica;
            UPDATE server_key SET sealed_public_key = (
                SELECT sealed_public_key FROM server_key WHERE kind = 'SIGNING' AND status = 'ACTIVE')
            WHERE key_id = '\(old)'
            """)
        let report = try await fixture.verify()
        #expect(report.faults.contains { $0.contains("signed with key \(old), which is not known") }, "\(report)")
        #expect(report.damagedRows == ["server_key '\(old)'"])
        let server = try await installation.startServer()
        try await eventually("the server adds no seal") {
            !server.logLines(with: "critical", "is not signed with a key of this server").isEmpty
        }
    }

    @Test("A damaged row of a key is named, and stops the verification of no seal that does not need it")
    func damaged() async throws {
        let fixture = try await AuditFixture()
        let installation = fixture.installation
        try await fixture.untilSealed()
        try await fixture.server.stop()
        let damaged = try await installation.sql(
            "UPDATE server_key SET sealed_key = set_byte(sealed_key, 40, get_byte(sealed_key, 40) # 1) RETURNING key_id"
        )
        let report = try await fixture.verify()
        #expect(report.faults == [] && report.seals > 0)
        #expect(Set(report.damagedRows) == Set(damaged.map { "server_key '\($0)'" }))
        let text = try await installation.run(["audit", "verify"]).succeeded().stdout
        for key in damaged { #expect(text.contains("WARNING: a value in the row server_key '\(key)'")) }
        #expect(text.contains("nothing was altered"))

        try await installation.sql("UPDATE server_key SET sealed_public_key = '\\x00' WHERE kind = 'SIGNING'")
        let needed = try await fixture.verify()
        #expect(!needed.faults.isEmpty && needed.faults.allSatisfy { $0.contains("which is not known") }, "\(needed)")
    }
}
