import ServerHarness
import Testing

/// The bank's setting --identity-check: which requests need a pass, and what uses it up.
@Suite("Requests that need a pass")
struct RequirementTests {
    @Test("Without a pass a fetch is answered 302; with one it is served until its delivery is confirmed")
    func fetch() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "fetch"])
        #expect(try await bank.fetch().code == 302)
        try await bank.givePass()
        #expect(try await bank.fetch().code == 0)
        // A delivery that failed can be repeated.
        try await bank.deliver(status: 1)
        #expect(try await bank.passCount() == 1)
        try await bank.deliver()
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.fetch().code == 302)
    }

    @Test("A wrong code without a pass is not counted: nothing can be guessed")
    func wrongCode() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "fetch"])
        var guesser = bank.holder
        guesser.code = "Wrong000"
        let token = bank.bank.token(for: guesser)
        let answer = try await bank.service.server.post(
            Path.tokenCaptcha, TestApp().tokenCaptcha(bank.bank, token))
        #expect(answer.code == 302)
        let failures = try await bank.service.installation.sql(
            "SELECT authentication_failures FROM cardholder WHERE unique_id = '\(bank.holder.uniqueId)'")
        #expect(failures == ["0"])
    }

    @Test("Without a pass a definition is answered 114; a pass serves one definition")
    func definition() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "definition"])
        #expect(try await bank.define() == 114)
        // A fetch needs none.
        try await bank.deliver()
        try await bank.givePass()
        #expect(try await bank.define() == 0)
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.define("7193") == 114)
    }

    @Test("A definition that is refused does not use up the pass")
    func refusedDefinition() async throws {
        let bank = try await IdentityService.shared.value.makeBank([
            "--identity-check", "definition", "--pin-maximum-length", "4",
        ])
        try await bank.givePass()
        let code = try await bank.define("123456")
        #expect(code != 0)
        #expect(try await bank.passCount() == 1)
    }

    @Test("With 'both', a delivery or a definition uses up the pass, whichever comes first")
    func both() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "both"])
        #expect(try await bank.fetch().code == 302)
        #expect(try await bank.define() == 114)
        try await bank.givePass()
        #expect(try await bank.fetch().code == 0)
        #expect(try await bank.define() == 0)
        #expect(try await bank.fetch().code == 302)
        try await bank.givePass()
        try await bank.deliver()
        #expect(try await bank.define("7193") == 114)
    }

    @Test("With 'none' nothing needs a pass, and nothing uses it up")
    func none() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        try await bank.givePass()
        try await bank.deliver()
        #expect(try await bank.define() == 0)
        #expect(try await bank.passCount() == 1)
    }

    @Test("A late confirmation of an earlier fetch leaves a pass that was given since")
    func lateNotify() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "fetch"])
        try await bank.givePass()
        let fetched = try await bank.fetch()
        try await bank.service.installation.sql(
            "UPDATE identity_pass SET passed_at = now() + interval '1 minute' WHERE bank_id = '\(bank.bank.id)'")
        let notify = try #require(fetched.notify(0))
        #expect(try await bank.service.server.post(Path.tokenNotify, notify).code == 0)
        #expect(try await bank.passCount() == 1)
    }

    @Test("A new check takes the cardholder's pass away")
    func newCheck() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        try await bank.givePass()
        #expect(try await bank.check().status == 201)
        #expect(try await bank.passCount() == 0)
    }

    @Test("A new check takes away a pass that is given while the check waits for the cardholder")
    func passMeanwhile() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let sql = bank.service.installation.sql
        let gate = Unique.name("gate")
        // As a session does at its end: it has the cardholder's lock, and commits a pass once the check waits for the lock.
        let session = """
            SET application_name = '\(gate)'; BEGIN;
            SELECT 1 FROM cardholder WHERE bank_id = '\(bank.bank.id)' AND unique_id = '\(bank.holder.uniqueId)' FOR UPDATE;
            DO $$ BEGIN
                WHILE NOT EXISTS (
                    SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
                ) LOOP
                    PERFORM pg_sleep(0.02);
                END LOOP;
            END $$;
            \(try await bank.newPass()); COMMIT
            """
        let holds = "SELECT 1 FROM pg_stat_activity WHERE application_name = '\(gate)' AND wait_event = 'PgSleep'"
        async let passed = sql(session)
        try await eventually("the session has the lock") { try await !sql(holds).isEmpty }
        #expect(try await bank.check().status == 201)
        _ = try await passed
        #expect(try await bank.passCount() == 0)
    }

    /// What somebody with all rights in the database can do, without a pass in the vault's sense.
    enum Forgery: String, CaseIterable {
        case invented, otherCardholder, prolonged, otherCheck

        /// The statements. `other` is a cardholder with a genuine pass.
        func statements(_ bank: IdentityBank, other: String) async throws -> String {
            let holder = "bank_id = '\(bank.bank.id)' AND unique_id = '\(bank.holder.uniqueId)'"
            switch self {
            case .invented:
                return """
                    INSERT INTO identity_pass (bank_id, unique_id, validation_digest, passed_at, expires_at, mac)
                    SELECT bank_id, '\(bank.holder.uniqueId)', validation_digest, now(), now() + interval '1 hour',
                        set_byte(mac, 10, get_byte(mac, 10) # 1)
                    FROM identity_pass WHERE bank_id = '\(bank.bank.id)' AND unique_id = '\(other)'
                    """
            case .otherCardholder:
                return """
                    UPDATE identity_pass SET unique_id = '\(bank.holder.uniqueId)'
                    WHERE bank_id = '\(bank.bank.id)' AND unique_id = '\(other)'
                    """
            case .prolonged:
                return "\(try await bank.newPass(seconds: -1)); "
                    + "UPDATE identity_pass SET expires_at = now() + interval '1 hour' WHERE \(holder)"
            case .otherCheck:
                return "\(try await bank.newPass()); "
                    + "UPDATE identity_pass SET validation_digest = \(SQLText.spentDigest("other")) WHERE \(holder)"
            }
        }
    }

    @Test("A pass that somebody has put into the database serves nothing", arguments: Forgery.allCases)
    func forged(_ forgery: Forgery) async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "both"])
        let installation = bank.service.installation
        let other = TestCardholder()
        try await installation.provision([other], of: bank.bank, through: bank.service.server)
        try await installation.sql(try await bank.newPass(to: other.uniqueId))
        try await installation.sqlAsSuperuser(
            "SET session_replication_role = replica; \(try await forgery.statements(bank, other: other.uniqueId))")
        let held = try await installation.sql(
            "SELECT 1 FROM identity_pass WHERE bank_id = '\(bank.bank.id)' AND unique_id = '\(bank.holder.uniqueId)'")
        #expect(held.count == 1)
        #expect(try await bank.fetch().code == 302)
        #expect(try await bank.define() == 114)
        try await installation.sql("DELETE FROM identity_pass WHERE bank_id = '\(bank.bank.id)'")
        try await bank.givePass()
        #expect(try await bank.fetch().code == 0)
        #expect(try await bank.define() == 0)
    }

    @Test("A pass that has expired serves nothing")
    func expired() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "both"])
        try await bank.givePass(seconds: -1)
        #expect(try await bank.fetch().code == 302)
        #expect(try await bank.define() == 114)
    }

    @Test("Passes and checks are removed with their cardholder, and after a restore of the database")
    func removed() async throws {
        let service = try await IdentityService()
        let (first, second) = (try await service.makeBank(), try await service.makeBank())
        for bank in [first, second] {
            #expect(try await bank.check().status == 201)
            try await bank.givePass()
        }
        #expect(
            try await service.server.call("DELETE", cardholder: first.holder.uniqueId, by: first.issuer).status == 204)
        func count(_ table: String) async throws -> Int {
            try await service.installation.sql("SELECT 1 FROM \(table)").count
        }
        #expect(try await count("identity_pass") == 1)
        #expect(try await count("identity_check") == 1)
        try await service.server.stop()
        try await service.installation.run(["database", "restored", "--backup-time", "2026-01-01T00:00:00Z"])
            .succeeded()
        #expect(try await count("identity_pass") == 0)
        #expect(try await count("identity_check") == 0)
    }

    @Test("Housekeeping removes passes and checks that have expired, but not a check with a session")
    func housekeeping() async throws {
        let service = try await IdentityService(["--housekeeping-interval-seconds", "1"])
        let banks = [try await service.makeBank(), try await service.makeBank()]
        for bank in banks {
            #expect(try await bank.check().status == 201)
            try await bank.givePass(seconds: -1)
        }
        try await service.installation.sql(
            """
            UPDATE identity_check SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour';
            UPDATE identity_check SET session_id = 's', session_ends_at = now() + interval '1 hour'
            WHERE bank_id = '\(banks[1].bank.id)'
            """)
        try await eventually("they are removed") {
            let passes = try await service.installation.sql("SELECT 1 FROM identity_pass")
            let checks = try await service.installation.sql("SELECT bank_id FROM identity_check")
            return passes.isEmpty && checks == [banks[1].bank.id]
        }
    }
}
