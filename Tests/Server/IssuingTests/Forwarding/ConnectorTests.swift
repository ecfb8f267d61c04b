import Foundation
import ServerHarness
import Testing

/// A bank's connector hands defined PINs to the bank's program, and reports what it says.
@Suite("Connector")
struct ConnectorTests {
    private static let settings = [
        "--retention", "keep-repeat", "--weak-pin-rules", "none", "--definitions-per-day", "100",
        "--forward-defined-pins", "true",
    ]
    /// Tests with connectors of their own have banks of their own.
    private static let shared = Once {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(settings)
        return (backend, try ConnectorUnderTest(of: backend, on: service.installation))
    }

    private var installation: TestInstallation { get async throws { try await Service.shared.value.installation } }

    private func defined(_ backend: Backend, _ pin: String = "7391") async throws -> TestCardholder {
        let holder = try await backend.created()
        try await define(holder, pin, backend)
        return holder
    }

    private func define(_ holder: TestCardholder, _ pin: String, _ backend: Backend) async throws {
        let answer = try await backend.define(holder, pin)
        try #require(answer.code == 0, "\(answer.members)")
    }

    @Test(
        "The program gets the event of a defined PIN without the PIN, and what it answers is shown and in the audit trail"
    )
    func effective() async throws {
        let (backend, connector) = try await Self.shared.value
        let holder = try await backend.created()
        try connector.answer(
            #"{"state":"sent","afterSeconds":1}"#, #"{"state":"effective"}"#, about: holder)
        try await define(holder, "7391", backend)
        let event = try #require(try await backend.definedPIN(holder)?["event"]?.string)
        let lines = try await connector.waitForLines(2, about: holder)
        try await backend.waitForState("effective", of: holder, connector)

        #expect(lines.map { $0["event"]?.string } == [event, event])
        #expect(lines.map { $0["state"]?.string } == ["pending", "sent"])
        #expect(lines.map { $0["attempt"] } == [1, 2])
        #expect(lines.allSatisfy { $0["bankId"]?.string == backend.bank.id && $0.count == 6 })
        let definedAt = try await installation.sql(
            "SELECT floor(extract(epoch FROM occurred_at) * 1000) FROM event WHERE public_id = '\(event)'")
        #expect(lines.allSatisfy { $0["definedAtMilliseconds"]?.text == definedAt.first }, "\(lines)")
        // Neither the database's password nor another setting is in the program's environment.
        #expect(connector.starts.allSatisfy { $0.hasSuffix(" []") }, "\(connector.starts)")

        let entries = try await installation.sql(
            """
            SELECT reported.outcome || ' ' || reported.detail || ' ' || reported.actor
            FROM audit_entry AS defined JOIN audit_entry AS reported USING (subject)
            WHERE defined.operation = 'define' AND reported.operation = 'report-defined-pin'
                AND reported.bank_id = '\(backend.bank.id)'
                AND defined.subject = (SELECT subject FROM forwarded_pin WHERE event_id = '\(event)')
            ORDER BY reported.occurred_at
            """)
        #expect(entries == ["reported sent connector", "reported effective connector"])
        let next = try await installation.sql(
            "SELECT next_attempt_at IS NULL FROM forwarded_pin WHERE event_id = '\(event)'")
        #expect(next == ["t"])
    }

    @Test("A failure is shown with its reason, and an operator can have the PIN handed out again")
    func failed() async throws {
        let (backend, connector) = try await Self.shared.value
        let holder = try await backend.created()
        try connector.answer(#"{"state":"failed","reason":"the host knows no such card"}"#, about: holder)
        try await define(holder, "7391", backend)
        try await backend.waitForState("failed", of: holder, connector)
        #expect(try await backend.definedPIN(holder)?["reason"]?.string == "the host knows no such card")
        try connector.answer(#"{"state":"effective"}"#, about: holder)
        func again(_ uniqueId: String) async throws -> CommandResult {
            try await installation.run(["cardholder", "forward-again", "--bank", backend.bank.id, uniqueId])
        }
        try await again(holder.uniqueId).succeeded()
        try await backend.waitForState("effective", of: holder, connector)
        // The operator's order and the PIN have the same pseudonym in the audit trail.
        let orders = try await installation.sql(
            """
            SELECT outcome FROM audit_entry JOIN forwarded_pin USING (bank_id, subject)
            WHERE operation = 'cardholder forward-again' AND unique_id = '\(holder.uniqueId)'
                AND bank_id = '\(backend.bank.id)'
            ORDER BY audit_entry.occurred_at
            """)
        #expect(orders == ["cardholder.pin-forwarded-again"])
        #expect(try connector.lines(about: holder).map { $0["state"]?.string } == ["pending", "failed"])
        // The bank's own PIN is none to hand out.
        #expect(try await backend.put(holder).status == 200)
        let replaced = try await again(holder.uniqueId)
        #expect(replaced.status == 66 && replaced.stderr.contains("has no defined PIN that was queued"), "\(replaced)")
    }

    @Test("A PIN that the program puts off is handed out again, and stays pending")
    func putOff() async throws {
        let (backend, connector) = try await Self.shared.value
        let holder = try await backend.created()
        try connector.answer(
            #"{"state":"pending","afterSeconds":1}"#, #"{"state":"pending","afterSeconds":604800}"#, about: holder)
        try await define(holder, "7391", backend)
        let lines = try await connector.waitForLines(2, about: holder)
        #expect(lines.map { $0["state"]?.string } == ["pending", "pending"])
        let event = lines.last?["event"]?.string ?? ""
        try await eventually("the second answer is stored") {
            try await installation.sql(
                """
                SELECT next_attempt_at > now() + interval '6 days' FROM forwarded_pin WHERE event_id = '\(event)'
                """) == ["t"]
        }
        #expect(try await backend.definedPIN(holder)?["state"]?.string == "pending")
    }

    @Test("A new PIN waits until the one before is answered, and is given to the host last")
    func replaced() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let connector = try ConnectorUnderTest(of: backend, on: service.installation, ["--answer-seconds", "2"])
        // It is not answered yet.
        let holder = try await defined(backend)
        let first = try await connector.waitForLines(1, about: holder)[0]["event"]?.string ?? ""
        try await define(holder, "58026", backend)
        // When the program is asked about the new PIN, it says that the host has taken the old one, too.
        try connector.answer(
            #"[{"event":"\#(first)","state":"effective"},{"state":"effective"}]"#, #"{"state":"effective"}"#,
            about: holder)
        let second = try #require(try await backend.definedPIN(holder)?["event"]?.string)
        func events() throws -> [String] { try connector.lines(about: holder).map { $0["event"]?.string ?? "" } }
        try await connector.wait(for: "the new PIN comes twice") { try events().filter { $0 == second }.count >= 2 }
        try await backend.waitForState("effective", of: holder, connector)
        // The old one can have come again, before the new one was defined.
        let seen = try events()
        #expect(seen.first == first && seen.suffix(2) == [second, second], "\(seen)")
        #expect(connector.logText.contains("A defined PIN was replaced before it was reported"))
        #expect(await connector.stop() == 0)
    }

    /// What connectors do for one cardholder's PINs, without a program.
    private struct Queue {
        let backend: Backend
        let installation: TestInstallation
        let holder: TestCardholder

        func lease() async throws -> [String] {
            try await installation.sql(
                "SELECT r_event_id, r_attempt FROM lease_forwarded_pins('\(backend.bank.id)', 8, 600)")
        }

        func report(_ event: String, _ state: String, after seconds: Int? = nil) async throws -> [String] {
            try await installation.sql(
                """
                SELECT report_forwarded_pin(
                    '\(backend.bank.id)', '\(holder.uniqueId)', '\(event)', '\(state)', NULL,
                    \(seconds.map(String.init) ?? "NULL"))
                """)
        }

        func event() async throws -> String { try await backend.definedPIN(holder)?["event"]?.string ?? "" }
    }

    private func queue() async throws -> Queue {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        return Queue(backend: backend, installation: service.installation, holder: try await defined(backend))
    }

    @Test("Two connectors do not have two PINs of one cardholder at the same time")
    func oneAtATime() async throws {
        let queue = try await queue()
        let first = try await queue.event()
        #expect(try await queue.lease() == ["\(first)|1"])
        try await define(queue.holder, "58026", queue.backend)
        let second = try await queue.event()
        #expect(try await queue.lease().isEmpty)
        // An operator cannot have it handed out to another program now.
        let again = try await queue.installation.run([
            "cardholder", "forward-again", "--bank", queue.backend.bank.id, queue.holder.uniqueId,
        ])
        #expect(again.status == 69 && again.stderr.contains("a connector has a PIN of cardholder"), "\(again)")
        #expect(try await queue.lease().isEmpty)
        #expect(try await queue.report(first, "pending") == ["other-pin"])
        #expect(try await queue.lease() == ["\(second)|1"])
        // A report about the first one does not end the lease of the second one.
        #expect(try await queue.report(first, "pending") == ["other-pin"])
        #expect(try await queue.lease().isEmpty)
        // The back-end brings it to an end meanwhile: then the program cannot put it off.
        #expect(try await queue.report(second, "effective") == ["reported"])
        #expect(try await queue.report(second, "pending") == ["unchanged"])
        #expect(try await queue.lease().isEmpty)
    }

    @Test("If the host may have taken an old PIN last, the new one goes out again at once, whatever is reported")
    func overtaken() async throws {
        let queue = try await queue()
        let first = try await queue.event()
        try await define(queue.holder, "58026", queue.backend)
        let second = try await queue.event()
        #expect(try await queue.lease() == ["\(second)|1"])
        #expect(try await queue.report(second, "effective") == ["reported"])
        // Another program gives the host the first one after all.
        #expect(try await queue.report(first, "sent") == ["other-pin"])
        #expect(try await queue.lease() == ["\(second)|2"])
        // It does so while a connector has the second one, and nobody knows which of them the host has taken last.
        #expect(try await queue.report(first, "effective") == ["other-pin"])
        #expect(try await queue.lease().isEmpty)
        #expect(try await queue.report(second, "effective") == ["unchanged"])
        #expect(try await queue.lease() == ["\(second)|3"])
        // The same with a program that wants to be asked in an hour.
        #expect(try await queue.report(first, "sent") == ["other-pin"])
        #expect(try await queue.report(second, "sent", after: 3600) == ["reported"])
        #expect(try await queue.lease() == ["\(second)|4"])
        #expect(try await queue.report(second, "effective") == ["reported"])
        #expect(try await queue.lease().isEmpty)
    }

    @Test("A later PIN has a later time, also by the clock of a server that is behind")
    func order() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let holder = try await defined(backend)
        try await service.installation.sql(
            """
            UPDATE forwarded_pin SET defined_at = defined_at + interval '1 hour' WHERE bank_id = '\(backend.bank.id)'
            """)
        let times = "SELECT extract(epoch FROM defined_at) FROM forwarded_pin WHERE bank_id = '\(backend.bank.id)'"
        let ahead = try #require(Double(try await service.installation.sql(times)[0]))
        try await define(holder, "58026", backend)
        let next = try #require(Double(try await service.installation.sql(times)[0]))
        #expect((next - ahead) * 1000 > 0.9, "\(ahead) \(next)")
    }

    @Test("What is queued is a PIN of today: with the setting off meanwhile, an old event is not handed out")
    func oldEvent() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let holder = try await defined(backend)
        func set(_ isOn: Bool) async throws {
            try await service.installation.run([
                "bank", "set", backend.bank.id, "--forward-defined-pins", "\(isOn)",
            ]).succeeded()
        }
        try await set(false)
        try await define(holder, "58026", backend)
        let leased = "SELECT r_event_id FROM lease_forwarded_pins('\(backend.bank.id)', 8, 60)"
        #expect(try await service.installation.sql(leased).isEmpty)
        try await set(true)
        try await define(holder, "7391", backend)
        let event = try #require(try await backend.definedPIN(holder)?["event"]?.string)
        #expect(try await service.installation.sql(leased) == [event])
    }

    @Test("A PIN that the bank itself has replaced or reported, or whose cardholder is gone, is not handed out")
    func notHandedOut() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let (replaced, reported, deleted, waiting) = (
            try await defined(backend), try await defined(backend), try await defined(backend),
            try await defined(backend)
        )
        #expect(try await backend.put(replaced).status == 200)
        #expect(try await backend.delete(deleted.uniqueId).status == 204)
        let event = try #require(try await backend.definedPIN(reported)?["event"])
        var call = IssuerCall(
            "POST", backend.path(reported.uniqueId) + "/pin:effective",
            body: Array(JSON.object(["event": event, "state": "effective"]).text.utf8))
        call.headers = [("Content-Type", "application/json")]
        #expect(try await backend.server.call(call, by: backend.issuer).status == 200)

        let connector = try ConnectorUnderTest(of: backend, on: service.installation)
        _ = try await connector.waitForLines(1, about: waiting)
        for holder in [replaced, reported, deleted] { #expect(try connector.lines(about: holder).isEmpty) }
        #expect(await connector.stop() == 0)
        let left = try await service.installation.sql(
            "SELECT unique_id FROM forwarded_pin WHERE bank_id = '\(backend.bank.id)' AND next_attempt_at IS NOT NULL")
        #expect(left == [waiting.uniqueId])
    }

    @Test("Without the bank's setting nothing is queued")
    func off() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(["--retention", "keep-repeat", "--weak-pin-rules", "none"])
        _ = try await defined(backend)
        let queued = try await service.installation.sql(
            "SELECT count(*) FROM forwarded_pin WHERE bank_id = '\(backend.bank.id)'")
        #expect(queued == ["0"])
    }

    @Test("A connector that is killed between the line and the answer changes nothing twice")
    func killed() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let first = try ConnectorUnderTest(of: backend, on: service.installation, ["--answer-seconds", "1"])
        let holder = try await defined(backend)
        let event = try await first.waitForLines(1, about: holder)[0]["event"]?.string
        first.process.send(SIGKILL)
        await first.process.ended()

        let second = try ConnectorUnderTest(
            of: backend, on: service.installation, folder: first.folder, ["--answer-seconds", "1"])
        try second.answer(#"{"state":"effective"}"#, about: holder)
        try await backend.waitForState("effective", of: holder, second)
        let lines = try second.lines(about: holder)
        // The same event: the Idempotency-Key of the program's call for the PIN is the same, too.
        #expect(lines.count >= 2 && lines.allSatisfy { $0["event"]?.string == event })
        #expect(lines.first?["attempt"] == 1 && lines.last?["attempt"] != 1)
        #expect(await second.stop() == 0)
        let reports = try await service.installation.sql(
            "SELECT outcome FROM audit_entry WHERE bank_id = '\(backend.bank.id)' AND operation = 'report-defined-pin'")
        #expect(reports == ["reported"])
    }

    @Test(
        "A program that ends, answers nonsense, or is too slow is started again, and asked again",
        arguments: [
            ("end", "it has ended"), ("nonsense", "something that is not understood"),
            (nil, "has not answered in time"),
        ] as [(String?, String)])
    func startedAgain(answer: String?, problem: String) async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let connector = try ConnectorUnderTest(of: backend, on: service.installation, ["--answer-seconds", "2"])
        let holder = try await backend.created()
        if let answer { try connector.answer(answer, about: holder) }
        try await define(holder, "7391", backend)
        _ = try await connector.waitForLines(1, about: holder)
        try await connector.wait(for: "the reason why the program is started again") {
            connector.logText.contains(problem)
        }
        try connector.answer(#"{"state":"effective"}"#, about: holder)
        try await backend.waitForState("effective", of: holder, connector)
        #expect(connector.starts.count >= 2)
        let lines = try connector.lines(about: holder)
        #expect(lines.allSatisfy { $0["event"] == lines[0]["event"] })
        #expect(await connector.stop() == 0)
    }

    @Test("Two connectors of a bank share the work: each PIN is handed out once")
    func shared() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let connectors = try (0..<2).map { _ in try ConnectorUnderTest(of: backend, on: service.installation) }
        var holders: [TestCardholder] = []
        for _ in 0..<12 {
            let holder = try await backend.created()
            for connector in connectors { try connector.answer(#"{"state":"effective"}"#, about: holder) }
            try await define(holder, "7391", backend)
            holders.append(holder)
        }
        for holder in holders {
            try await backend.waitForState("effective", of: holder, connectors[0])
            #expect(try connectors.flatMap { try $0.lines(about: holder) }.count == 1)
        }
        for connector in connectors { #expect(await connector.stop() == 0) }
    }

    @Test("A connector that stops reports what the program still answers")
    func stops() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(Self.settings)
        let connector = try ConnectorUnderTest(of: backend, on: service.installation)
        let holder = try await backend.created()
        try connector.answer(#"{"state":"effective"}"#, about: holder)
        try await define(holder, "7391", backend)
        _ = try await connector.waitForLines(1, about: holder)
        #expect(await connector.stop() == 0)
        #expect(try await backend.definedPIN(holder)?["state"]?.string == "effective")
    }

    @Test("The connector's role can hand out and report, and nothing else")
    func role() async throws {
        // Roles belong to a whole cluster.
        let cluster = try await TestCluster()
        let installation = try await TestInstallation(on: cluster)
        let server = try await installation.startServer()
        let bank = try await installation.makeBank(Self.settings)
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank),
            key: try await server.sealingKey())
        let role = "card_companion_forward"
        // An operator makes the role after the last migration: 'migrate' lets it in.
        try await installation.sqlAsSuperuser("CREATE ROLE \(role) NOLOGIN")
        let migrated = try await installation.run(["migrate"]).succeeded()
        #expect(migrated.stdout == "applied grants\n")
        let connector = try ConnectorUnderTest(
            of: backend, on: installation, url: installation.databaseURL(role: role))
        let holder = try await backend.created()
        try connector.answer(#"{"state":"effective"}"#, about: holder)
        try await define(holder, "7391", backend)
        try await backend.waitForState("effective", of: holder, connector)
        #expect(await connector.stop() == 0)

        for table in [
            "cardholder", "forwarded_pin", "chosen_pin", "event", "defined_pin", "bank", "bank_key", "data_key",
            "audit_entry", "issuer_key",
        ] {
            try await installation.sqlAsSuperuser("SELECT FROM card_companion.\(table) LIMIT 0")
            await #expect(throws: (any Error).self, "\(table)") {
                try await installation.sqlAsRole(role, "SELECT * FROM card_companion.\(table)")
            }
        }
        for statement in [
            "SELECT card_companion.append_audit(now(), 'a', 'b', NULL, NULL, 'c', NULL)",
            "UPDATE card_companion.forwarded_pin SET attempts = 0", "DELETE FROM card_companion.event",
            "CREATE TABLE card_companion.mine (a int)",
            // Nothing but a report comes to the audit trail and to operators.
            "SELECT report_forwarded_pin('\(backend.bank.id)', 'x', 'x', repeat('x', 100), NULL, NULL)",
            "SELECT report_forwarded_pin('\(backend.bank.id)', 'x', 'x', NULL, NULL, NULL)",
            "SELECT report_forwarded_pin('\(backend.bank.id)', 'x', 'x', 'sent', 'why', NULL)",
            "SELECT report_forwarded_pin('\(backend.bank.id)', 'x', 'x', 'failed', E'\\x1b[31m', NULL)",
            "SELECT report_forwarded_pin('\(backend.bank.id)', 'x', 'x', 'failed', E'a\\u202eb', NULL)",
        ] {
            await #expect(throws: (any Error).self, "\(statement)") {
                try await installation.sqlAsRole(role, statement)
            }
        }
        try await server.stop()
        await cluster.stop()
    }

    @Test(
        "A mistake on the command line is named",
        arguments: [
            ([], 64, "Name the bank's program"), (["--", "host.py"], 65, "must be an absolute path"),
            (["--", "/nowhere/host.py"], 65, "cannot be run: No such file"),
            (["--", "/etc/passwd"], 65, "cannot be run"), (["--", "/tmp"], 65, "is not a file"),
            (["--at-once", "65", "--", "/bin/cat"], 64, "--at-once must be 1 to 64"),
            (["--answer-seconds", "0", "--", "/bin/cat"], 64, "--answer-seconds must be 1 to 3600"),
        ] as [([String], Int32, String)])
    func mistakes(arguments: [String], status: Int32, message: String) async throws {
        let service = try await Service.shared.value
        let result = try await service.installation.run(["forward", "--bank", "NOBANK"] + arguments)
        #expect(result.status == status && result.stderr.contains(message), "\(result)")
    }

    @Test("A bank that does not exist is named")
    func noBank() async throws {
        let service = try await Service.shared.value
        let result = try await service.installation.run(["forward", "--bank", "NOBANK", "--", "/bin/cat"])
        #expect(result.status != 0 && result.stderr.contains("there is no bank 'NOBANK'"), "\(result)")
    }
}
