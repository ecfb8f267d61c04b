import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import ServerHarness
import Testing

/// Whole sessions over a real WebSocket with a real server and its database: what becomes of the check.
@Suite("Sessions and checks")
struct SessionTests {
    @Test("A document that passes gives a pass and an event, and serves a fetch")
    func passed() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-check", "fetch"])
        #expect(try await bank.fetch().code == 302)
        let id = try await bank.validationId()
        let end = try await bank.session(id)
        #expect(end.isNormal, "\(end.code) \(end.reason)")
        #expect(end.connector.chipAuthenticationResult == "SUCCESS")
        #expect(try await bank.fetch().code == 0)
        let events = try await bank.checkedEvents()
        #expect(
            events == [
                [
                    "validationId": .string(id), "clientId": .string(bank.clientId), "expected": "document",
                    "passiveAuthentication": true, "chipAuthentication": "SUCCESS",
                    "activeAuthentication": "UNAVAILABLE",
                ]
            ])
        // The check is closed.
        #expect(try await bank.session(id).reason == "INVALID_START_MESSAGE")
        try await bank.deliver()
        #expect(try await bank.fetch().code == 302)
        // The audit trail has the pass, and that it was used.
        let verify = ["audit", "verify", "--cardholders", "--bank", bank.bank.id]
        try await bank.service.installation.run(verify).succeeded()
    }

    @Test("A state that uses a number for documents of several types is asked for the type as well")
    func documentCode() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        for (code, passes) in [("ID", 0), ("P", 1)] {
            let document: JSON = [
                "issuingState": "UTO", "documentNumber": "L898902C3", "documentCode": .string(code),
            ]
            let answer = try await bank.check(["clientId": .string(bank.clientId), "document": document])
            let id = try #require(answer.members["validationId"]?.string, "\(answer.members)")
            #expect(try await bank.session(id).isNormal)
            #expect(try await bank.passCount() == passes)
        }
    }

    @Test("If an app goes away without a word, the bank learns that, and the check is free")
    func lost() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        struct Gone: Error {}
        let id = try await bank.validationId()
        await #expect(throws: Gone.self) {
            _ = try await bank.session(id) { app in
                if app.chipAuthenticationResult != nil { throw Gone() }
            }
        }
        try await eventually("the bank is told") {
            try await bank.failedEvents().map { $0["closeReason"] } == ["CONNECTION_LOST"]
        }
        #expect(try await bank.session(id).isNormal)
        #expect(try await bank.passCount() == 1)
    }

    @Test("A person is found by name and date of birth")
    func person() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let answer = try await bank.check([
            "clientId": .string(bank.clientId),
            "person": ["name": "Eriksson<<Anna Maria", "dateOfBirth": "1974-08-12"],
        ])
        let id = try #require(answer.members["validationId"]?.string)
        #expect(try await bank.session(id).isNormal)
        #expect(try await bank.passCount() == 1)
        #expect(try await bank.checkedEvents().first?["expected"] == "person")
    }

    /// Documents and chips that must not pass.
    enum Wrong: String, CaseIterable {
        case clone, cloneWithoutHandOver, forgedDataGroup, otherState, otherDocument, expired, copyWithoutChip
        case wrongActiveAuthentication

        /// What the bank learns.
        var refusals: [String] {
            switch self {
            case .clone:
                ["chipAuthenticationFailed", "readingNotFinished"]
            case .cloneWithoutHandOver: ["chipAuthenticationFailed", "wrongActiveAuthenticationSignature"]
            case .forgedDataGroup, .otherState: ["passiveAuthenticationFailed"]
            case .otherDocument: ["notExpected"]
            case .expired: ["documentExpired"]
            case .copyWithoutChip: ["chipAuthenticationFailed"]
            case .wrongActiveAuthentication: ["activeAuthenticationFailed", "wrongActiveAuthenticationSignature"]
            }
        }

        func document(_ bank: IdentityBank) throws -> SimulatedDocument {
            var person = bank.person
            switch self {
            case .clone, .cloneWithoutHandOver: return try bank.state.issue(person).clone()
            case .forgedDataGroup:
                var document = try bank.state.issue(person)
                person.name = "FORGED<<PERSON"
                document.files[.dataGroup(1)] = bank.state.dataGroup1(person)
                return document
            case .otherState: return try SimulatedIssuer(at: TestState.now).issue(person)
            case .otherDocument:
                person.documentNumber = "X0000001"
                return try bank.state.issue(person)
            case .expired:
                person.dateOfExpiry = "200101"
                return try bank.state.issue(person)
            case .copyWithoutChip:
                var document = try bank.state.issue(person)
                document.chipAuthenticationKey = nil
                document.activeAuthenticationKey = nil
                return document
            case .wrongActiveAuthentication:
                var document = try bank.state.issue(person, .init(chipAuthentication: nil))
                document.activeAuthenticationKey = try document.clone().activeAuthenticationKey
                return document
            }
        }
    }

    @Test(
        "A document that does not pass gives no pass, the bank learns why, and the check stays open",
        arguments: Wrong.allCases)
    func failed(_ wrong: Wrong) async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let id = try await bank.validationId()
        var plan = SimulatedConnector.Plan()
        if [.cloneWithoutHandOver, .copyWithoutChip].contains(wrong) { plan.handsOver = false }
        _ = try await bank.session(id, document: try wrong.document(bank), plan: plan)
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.checkedEvents() == [])
        let told = try await bank.failedEvents()
        #expect(told.count == 1 && told.first?["validationId"] == .string(id))
        #expect(told.first?["refusals"] == .array(wrong.refusals.map(JSON.string)))
        #expect(told.first?["closeReason"] == (wrong == .clone ? "FILE_READ_ERROR" : ""))
        // The right document can still be shown.
        #expect(try await bank.session(id).isNormal)
        #expect(try await bank.passCount() == 1)
    }

    @Test("A chip that can prove nothing passes only if the bank is content with passive authentication")
    func assurance() async throws {
        let service = try await IdentityService.shared.value
        for (settings, passes) in [([], 0), (["--identity-assurance", "passive"], 1)] {
            let bank = try await service.makeBank(settings)
            let end = try await bank.session(
                try await bank.validationId(), document: try bank.state.issue(bank.person, .none))
            #expect(end.isNormal)
            #expect(try await bank.passCount() == passes)
        }
    }

    @Test("A running server knows at once that the bank asks for more")
    func tightened() async throws {
        let bank = try await IdentityService.shared.value.makeBank(["--identity-assurance", "passive"])
        let simple = try bank.state.issue(bank.person, .none)
        _ = try await bank.session(try await bank.validationId(), document: simple)
        #expect(try await bank.passCount() == 1)
        try await bank.service.installation.run(["bank", "set", bank.bank.id, "--identity-assurance", "chip"])
            .succeeded()
        _ = try await bank.session(try await bank.validationId(), document: simple)
        #expect(try await bank.passCount() == 0)
    }

    @Test("A check has five sessions; then it is unknown")
    func fiveSessions() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let id = try await bank.validationId()
        let clone = try bank.state.issue(bank.person).clone()
        for _ in 0..<5 { #expect(try await bank.session(id, document: clone).reason != "INVALID_START_MESSAGE") }
        #expect(try await bank.session(id).reason == "INVALID_START_MESSAGE")
        #expect(try await bank.passCount() == 0)
    }

    @Test("An app that is told of a failure can begin the next session at once, however slow the database is")
    func nextSession() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        try await bank.service.installation.sql(
            """
            CREATE FUNCTION slow_end() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END';
            CREATE TRIGGER slow_end BEFORE UPDATE ON identity_check FOR EACH ROW
                WHEN (NEW.bank_id = '\(bank.bank.id)' AND NEW.session_id IS NULL) EXECUTE FUNCTION slow_end()
            """)
        let id = try await bank.validationId()
        let clone = try bank.state.issue(bank.person).clone()
        for _ in 0..<3 { #expect(try await bank.session(id, document: clone).reason != "INVALID_START_MESSAGE") }
    }

    @Test("Of many sessions of one check on two servers, one at a time is served, and one passes")
    func oneAtATime() async throws {
        let service = try await IdentityService.shared.value
        let bank = try await service.makeBank()
        let other = try await IdentityService.startServer(on: service.installation)
        let id = try await bank.validationId()
        let ends = try await withThrowingTaskGroup(of: SessionEnd.self) { group in
            for number in 0..<8 {
                group.addTask { try await bank.session(id, through: number % 2 == 0 ? service.server : other) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.filter(\.isNormal).count == 1)
        #expect(ends.filter { $0.reason == "INVALID_START_MESSAGE" }.count == 7)
        #expect(try await bank.checkedEvents().count == 1)
        try await other.stop()
    }

    @Test("An unknown client is answered INVALID_CLIENT_ID; an unknown, foreign or expired check INVALID_START_MESSAGE")
    func unknown() async throws {
        let service = try await IdentityService.shared.value
        let (bank, other) = (try await service.makeBank(), try await service.makeBank())
        let id = try await bank.validationId()
        let end = try await bank.session(id, clientId: "nobody")
        #expect(end.code == 4401 && end.reason == "INVALID_CLIENT_ID")
        for end in [
            try await bank.session("AAAAAAAAAAAAAAAAAAAAAA"), try await bank.session(id, clientId: other.clientId),
        ] {
            #expect(end.code == 1008 && end.reason == "INVALID_START_MESSAGE")
        }
        try await service.installation.run([
            "document-client", "disable", "--bank", bank.bank.id, bank.clientId,
        ]).succeeded()
        #expect(try await bank.session(id).reason == "INVALID_CLIENT_ID")
        try await service.installation.run([
            "document-client", "enable", "--bank", bank.bank.id, bank.clientId,
        ]).succeeded()
        try await service.installation.sql(
            """
            UPDATE identity_check SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
            WHERE bank_id = '\(bank.bank.id)'
            """)
        #expect(try await bank.session(id).reason == "INVALID_START_MESSAGE")
    }

    @Test("A bank that is disabled has no clients")
    func disabledBank() async throws {
        let service = try await IdentityService.shared.value
        let bank = try await service.makeBank()
        let id = try await bank.validationId()
        try await service.installation.run(["bank", "set", bank.bank.id, "--status", "DISABLED"]).succeeded()
        #expect(try await bank.session(id).reason == "INVALID_CLIENT_ID")
    }

    @Test("A check that is replaced while its session runs gives no pass")
    func replaced() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let id = try await bank.validationId()
        // As if another session had begun, or the bank had asked again.
        try await bank.service.installation.sql(
            """
            CREATE FUNCTION replace_check() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.session_id := 'another'; RETURN NEW; END $$;
            CREATE TRIGGER replaced BEFORE UPDATE ON identity_check FOR EACH ROW
                WHEN (NEW.bank_id = '\(bank.bank.id)' AND NEW.session_id IS NOT NULL) EXECUTE FUNCTION replace_check()
            """)
        let end = try await bank.session(id)
        #expect(end.code == 1011 && end.reason == "SERVER_ERROR")
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.checkedEvents() == [])
        #expect(try await bank.failedEvents() == [])
    }

    @Test("The audit trail has the check, each session and how it ended, without the cardholder's name")
    func audit() async throws {
        let service = try await IdentityService()
        let bank = try await service.makeBank()
        let id = try await bank.validationId()
        _ = try await bank.session(id, document: try bank.state.issue(bank.person).clone())
        _ = try await bank.session(id)
        let entries = try await service.installation.sql(
            """
            SELECT operation || ': ' || outcome FROM audit_entry
            WHERE operation IN ('make identity check', 'verify document') ORDER BY occurred_at, sequence
            """)
        #expect(entries.count == 3 && entries.first == "make identity check: created", "\(entries)")
        #expect(entries.last == "verify document: passed", "\(entries)")
        #expect(
            entries[1] == "verify document: chipAuthenticationFailed readingNotFinished FILE_READ_ERROR", "\(entries)")
    }

    @Test("Nothing of the document is in the log or in the database")
    func privacy() async throws {
        let service = try await IdentityService(["--log-level", "trace"])
        let bank = try await service.makeBank()
        let id = try await bank.validationId()
        #expect(try await bank.session(id).isNormal)
        try await service.server.stop()
        let rows = try await service.installation.sql(
            "SELECT to_jsonb(e)::text FROM event AS e UNION ALL SELECT to_jsonb(a)::text FROM audit_entry AS a")
        for said in [service.server.log] + rows {
            // Hashes and fractions of a second can have the digits by chance.
            let said = said.replacing(/[0-9a-f]{16,}|\.[0-9]+/, with: "")
            for text in ["ERIKSSON", "L898902C3", "740812"] { #expect(!said.contains(text)) }
        }
        #expect(!service.server.log.contains(id))
    }
}
