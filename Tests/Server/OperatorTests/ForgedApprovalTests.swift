import Foundation
import ServerHarness
import Testing

/// What somebody can do who writes to the database as its superuser, but has neither the vault nor an operator's key.
@Suite("Forged approvals")
struct ForgedApprovalTests {
    private struct Fixture {
        let installation: TestInstallation
        let operators: TestOperators
        let bank: TestBank
        let holder: TestCardholder
        let server: TestServer

        init() async throws {
            let original = try await DualControlInstallation.of(["alice", "bob", "carol"]).value
            installation = try await original.installation.copy()
            (operators, bank, holder) = (original.operators, original.bank, original.holders[0])
            server = try await installation.startServer()
        }

        var isServed: Bool { get async throws { try await server.fetch(holder, of: bank) == .delivered } }
    }

    @Test("A bank with loosened settings is not served")
    func settings() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.isServed)
        try await fixture.installation.forgeSetting("timestampTolerance=300", "timestampTolerance=3600")
        #expect(try await !fixture.isServed)
        // Nor if what was approved is loosened with it.
        try await fixture.installation.sql(
            "UPDATE bank SET approved_settings = replace(approved_settings, 'timestampTolerance=300', 'timestampTolerance=3600')"
        )
        #expect(try await !fixture.isServed)
        try await fixture.installation.forgeSetting("timestampTolerance=3600", "timestampTolerance=300")
        try await fixture.installation.sql(
            "UPDATE bank SET approved_settings = replace(approved_settings, 'timestampTolerance=3600', 'timestampTolerance=300')"
        )
        #expect(try await fixture.isServed)
    }

    @Test("A rule that is changed in the database behind a running server does not count")
    func hiddenSettings() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.isServed)
        try await fixture.installation.forgeSetting("sessionLifetime=900", "sessionLifetime=86400", isHidden: true)
        #expect(try await fixture.isServed)
        let lifetimes = try await fixture.installation.sql(
            "SELECT extract(epoch FROM expires_at - opened_at)::integer FROM delivery_session")
        #expect(lifetimes == ["900", "900"])
    }

    @Test("A certificate that was put into the database is ignored")
    func certificate() async throws {
        let fixture = try await Fixture()
        let forged = try await TestAuthority.shared.value.otherSigner
        let der = try forged.certificateDER()
        try await fixture.installation.sql(
            """
            INSERT INTO certificate (bank_id, alias, issuer, serial, purpose, der, fingerprint, subject, not_before, not_after, is_default,
                status, created_at)
            SELECT bank_id, 'forged', issuer, serial, purpose, decode('\(Hex.encode(der))', 'hex'), sha256(decode('\(Hex.encode(der))', 'hex')),
                subject, not_before, not_after, false, status, created_at
            FROM certificate WHERE alias = '\(TestBank.certificateAlias)'
            """)
        let app = try TestApp()
        let token = fixture.bank.token(for: fixture.holder).with(["SignatureCertAlias": "forged"])
        let answer = try await fixture.server.post(
            Path.tokenCaptcha, app.tokenCaptcha(fixture.bank, token, signer: forged))
        #expect(answer.code == 304)
        #expect(try await fixture.isServed)
    }

    @Test("An approved certificate whose key is exchanged is ignored")
    func exchanged() async throws {
        let fixture = try await Fixture()
        let forged = try await TestAuthority.shared.value.otherSigner
        try await fixture.installation.sql(
            "UPDATE certificate SET der = decode('\(Hex.encode(try forged.certificateDER()))', 'hex')")
        let app = try TestApp()
        let answer = try await fixture.server.post(
            Path.tokenCaptcha,
            app.tokenCaptcha(fixture.bank, fixture.bank.token(for: fixture.holder), signer: forged))
        #expect(answer.code == 304)
    }

    @Test(
        "An approved certificate does not count with other columns",
        arguments: [
            "not_after = not_after + interval '1 year'", "fingerprint = sha256('x')", "serial = '\\x01'",
            "alias = 'other'",
            "issuer = 'CN=Nobody'",
        ])
    func columns(change: String) async throws {
        let fixture = try await Fixture()
        try await fixture.installation.sql("UPDATE certificate SET \(change)")
        #expect(try await !fixture.isServed)
    }

    @Test(
        "An approval does not count with another text, another signature, or an unknown operator",
        arguments: [
            "UPDATE approval SET statement = replace(statement, 'action operator', 'action operators')",
            "UPDATE approval SET first_signature = second_signature",
            "UPDATE approval SET second_operator = 'mallory'",
            "UPDATE approval SET second_operator = 'carol'",
            "UPDATE approval SET second_signature = sha512('x')",
            "DELETE FROM bank_inventory", "UPDATE bank_inventory SET contents = contents || E'\\n'",
        ])
    func altered(statement: String) async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.isServed)
        try await fixture.server.stop()
        try await fixture.installation.sql(statement)
        let server = try await fixture.installation.startServer()
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) != .delivered)
    }

    @Test("One operator who signs twice, or for two, approves nothing")
    func twice() async throws {
        let fixture = try await Fixture()
        try await fixture.server.stop()
        // The constraint is the superuser's to drop.
        try await fixture.installation.sql(
            """
            ALTER TABLE approval DROP CONSTRAINT two_operators_approve;
            UPDATE approval SET second_operator = first_operator, second_signature = first_signature
            """)
        let server = try await fixture.installation.startServer()
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) != .delivered)
    }

    @Test("A proposal that was changed in the database cannot be approved")
    func proposal() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.installation.propose(
            ["bank", "add", "NEWBANK", "--scheme", "CB"], of: fixture.operators)
        try await fixture.installation.sql(
            """
            UPDATE proposed_change SET change = convert_to(
                replace(convert_from(change, 'UTF8'), 'NEWBANK', 'BADBANK'), 'UTF8')
            """)
        let result = try await fixture.installation.approve(id, of: fixture.operators)
        #expect(result.status == 1)
        #expect(result.stderr.contains("no longer what the first operator has signed"))
        #expect(try await fixture.installation.run(["bank", "show", "BADBANK"]).status == 66)
    }

    @Test("What a removed operator has approved must be approved by others, and then is")
    func removal() async throws {
        let fixture = try await Fixture()
        // alice and bob have approved everything. Two of the others sign.
        let (installation, operators) = (fixture.installation, fixture.operators)
        let own = try await installation.run(["operator", "remove", "alice"] + operators.options(of: "alice"))
        #expect(own.status == 1)
        let id = try await installation.propose(["operator", "remove", "alice"], by: "carol", of: operators)
        let herself = try await installation.approve(id, by: "alice", of: operators)
        #expect(herself.stderr.contains("'alice' is removed by this change: two others must sign it"))
        try await installation.approve(id, by: "bob", of: operators).succeeded()
        try await fixture.server.stop()
        let server = try await installation.startServer()
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) == .delivered)
        // With an approval that alice has signed, it is not.
        try await installation.sql(
            """
            UPDATE approval SET (statement, first_operator, first_signature, second_operator, second_signature) = (
                SELECT statement, first_operator, first_signature, second_operator, second_signature
                FROM approval WHERE first_operator = 'alice' LIMIT 1)
            WHERE first_operator <> 'alice'
            """)
        try await server.stop()
        let last = try await installation.startServer()
        #expect(try await last.fetch(fixture.holder, of: fixture.bank) != .delivered)
        let fewer = try await installation.run(["operator", "remove", "carol"] + operators.options(of: "bob"))
        #expect(fewer.stderr.contains("must have 2 to 100 operators"))
    }

    @Test("When an operator is removed, what was forged is not approved with the rest")
    func removalWithForgery() async throws {
        let fixture = try await Fixture()
        let (installation, operators) = (fixture.installation, fixture.operators)
        try await installation.forgeSetting("retryLimit=3", "retryLimit=20")
        try await installation.sql("UPDATE certificate SET not_after = not_after + interval '1 year'")
        #expect(try await !fixture.isServed)
        let id = try await installation.propose(["operator", "remove", "alice"], by: "carol", of: operators)
        let approved = try await installation.approve(id, by: "bob", of: operators).succeeded()
        #expect(approved.stderr.contains("not approved, and still ignored: certificate"))
        try await fixture.server.stop()
        let server = try await installation.startServer()
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) != .delivered)
        try await installation.forgeSetting("retryLimit=20", "retryLimit=3")
        try await installation.sql("UPDATE certificate SET not_after = not_after - interval '1 year'")
        // The certificate has lost its approval with alice.
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) != .delivered)
    }

    /// An installation under dual control whose bank has a back-end and a webhook. Tests take copies.
    private static let withWebhook = Once {
        let installation = try await TestInstallation()
        let operators = try await TestOperators()
        let bank = try await installation.makeBank()
        let issuer = try await installation.makeIssuer(for: bank)
        try await installation.run(
            ["webhook", "set", "--bank", bank.id, "--allow-private", "http://127.0.0.1:9/hook"]
        ).succeeded()
        try await installation.run(["vault", "init"] + operators.first()).succeeded()
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
        return (installation, bank, issuer)
    }

    @Test(
        "Keys, back-ends' keys and webhooks do not count after a change in the database",
        arguments: [
            "UPDATE hmac_key SET usage = 'definition'", "UPDATE issuer_key SET algorithm = 'rsa-pss-sha512'",
            "UPDATE issuer_key SET public_key = decode('302a300506032b6570032100' || repeat('58', 32), 'hex')",
            "UPDATE webhook SET url = 'http://127.0.0.1:9/other'",
        ])
    func otherObjects(change: String) async throws {
        let (original, bank, issuer) = try await Self.withWebhook.value
        let installation = try await original.copy()
        let server = try await installation.startServer()
        #expect(try await server.call("GET", cardholder: "nobody", by: issuer).status == 404)
        #expect(!server.log.contains("Ignored"))
        try await installation.sql(change)
        // An event for the webhook; the server looks at the bank and at the key anyway.
        try await installation.sql(
            """
            INSERT INTO event (bank_id, type, data, occurred_at) VALUES ('\(bank.id)', 'certificate.expiring', '{}', now())
            """)
        try await eventually("the server ignores the object") {
            let app = try TestApp()
            _ = try await server.post(Path.captcha, app.captcha(bank, TestCardholder()))
            _ = try await server.call("GET", cardholder: "nobody", by: issuer)
            return server.log.contains("Ignored what two operators have not approved")
        }
    }

    @Test("Dual control is switched off by two, and an operator is added by two, also when it is off")
    func off() async throws {
        let fixture = try await Fixture()
        let (installation, operators) = (fixture.installation, fixture.operators)
        #expect(try await installation.run(["operator", "dual-control", "off"]).status == 65)
        try await installation.runWithTwo(["operator", "dual-control", "off"], of: operators)
        try await installation.run(["bank", "add", "ALONE", "--scheme", "CB"]).succeeded()
        let dave = try await TestOperators(["dave"])
        let add = ["operator", "add", "dave", "--public-key", dave.publicKey(of: "dave")]
        #expect(try await installation.run(add).status == 65)
        try await installation.runWithTwo(add, of: operators)
        #expect(try await installation.run(["operator", "list"]).succeeded().stdout.contains("dave"))
    }
}
