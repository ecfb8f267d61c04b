import Foundation
import ServerHarness
import Testing

/// A database that was restored from a backup, and what happened after the backup.
@Suite("A restored database")
struct RestoreTests {
    private struct Fixture {
        let installation: TestInstallation
        let bank: TestBank
        let issuer: TestIssuer
        let holders = ["delivered", "waiting", "late"].map { TestCardholder($0) }
        let dump = TestFolder.shared.unused("dump.sql")
        let trail = TestFolder.shared.unused("audit.ndjson")
        /// A request that was served after the backup, which lacks it.
        var served: [String: JSON] = [:]
        private(set) var backupTime = ""

        /// Makes a backup, lets things happen, and restores the backup.
        ///
        /// - Parameter waitsForSeal: whether a seal is made after the backup. A server waits ten seconds after the one before.
        init(waitsForSeal: Bool = false) async throws {
            installation = try await TestInstallation()
            bank = try await installation.makeBank(["--retention", "erase"])
            issuer = try await installation.makeIssuer(for: bank)
            let server = try await installation.startServer()
            try await installation.provision(holders, of: bank, through: server)
            try await dumpDatabase()
            let sealed = try await newestSeal()
            backupTime = Date().formatted(.iso8601)
            try await Self.deliver(holders[0], bank, server)
            served = try TestApp().tokenCaptcha(bank, bank.token(for: holders[1]))
            #expect(try await server.post(Path.tokenCaptcha, served).code == 0)
            if waitsForSeal {
                // The delivery's entries need one.
                try await eventually("there is a newer seal") { try await newestSeal() != sealed }
            }
            try await server.stop()
            let exported = try await installation.run(["audit", "export"]).succeeded().stdout
            try exported.write(toFile: trail, atomically: true, encoding: .utf8)
            try await restore()
        }

        private func newestSeal() async throws -> [String] {
            try await installation.sql("SELECT max(number) FROM audit_seal")
        }

        private func dumpDatabase() async throws {
            try await TestCommand.run(
                "pg_dump", ["--schema=card_companion", "--file", dump, installation.ownerURL]
            ).succeeded()
        }

        private func restore() async throws {
            try await installation.sql("DROP SCHEMA card_companion CASCADE")
            try await TestCommand.run(
                "psql", ["-Xq", "-v", "ON_ERROR_STOP=1", "-f", dump, installation.ownerURL]
            ).succeeded()
            // As a minute later.
            try await installation.sql("DELETE FROM server_vault")
        }

        private static func deliver(_ holder: TestCardholder, _ bank: TestBank, _ server: TestServer) async throws {
            let app = try TestApp()
            let token = bank.token(for: holder)
            let delivery = try app.open(try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token)))
            let code = try await server.post(
                Path.tokenNotify, delivery.tokenNotify(bank, holder, token: token)
            ).code
            #expect(code == 0)
        }

        func run(_ arguments: String...) async throws -> CommandResult {
            try await installation.run(["database", "restored", "--backup-time", backupTime] + arguments)
        }

        func fetch(_ holder: TestCardholder, _ server: TestServer) async throws -> Int? {
            try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder))).code
        }
    }

    @Test("What was served before is refused, and a PIN that was delivered stays erased")
    func audit() async throws {
        let fixture = try await Fixture()
        let done = try await fixture.run("--audit", fixture.trail).succeeded()
        #expect(done.stdout.contains("erased 1 PINs") && done.stdout.contains("epoch 2"), "\(done)")
        // The next second: requests of this one may be from before.
        try await Task.sleep(for: .seconds(2))
        let server = try await fixture.installation.startServer()
        let again = try await server.post(Path.tokenCaptcha, fixture.served)
        #expect(again.code == 200, "\(again.members)")
        #expect(try await fixture.fetch(fixture.holders[0], server) != 0)
        #expect(try await fixture.fetch(fixture.holders[1], server) == 0)
        let expired = try await fixture.installation.sql("SELECT unique_id FROM event WHERE type = 'pin.expired'")
        #expect(expired == ["delivered"])
        #expect(try await fixture.installation.run(["audit", "verify"]).succeeded().stdout.contains("epoch 2 began"))
    }

    @Test("After a restore that it was not told of, a server does not start until the database is made safe")
    func untold() async throws {
        let fixture = try await Fixture(waitsForSeal: true)
        let refusal = await #expect(throws: ServerFailed.self) { _ = try await fixture.installation.startServer() }
        #expect(refusal?.log.contains("run 'card-companion database restored' first") == true, "\(refusal?.log ?? "")")
        let doctor = try await fixture.installation.run(["doctor"])
        #expect(doctor.stdout.contains("run 'card-companion database restored' first"), "\(doctor)")
        try await fixture.run("--audit", fixture.trail).succeeded()
        try await fixture.installation.startServer().stop()
    }

    @Test("Without a copy of the audit trail, every PIN that may have been delivered is erased")
    func withoutAudit() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.run().succeeded().stdout.contains("erased 3 PINs"))
        #expect(
            try await fixture.installation.sql(
                "SELECT count(*) FROM cardholder WHERE sealed_pin IS NOT NULL OR code_mac IS NOT NULL") == ["0"])
        #expect(try await fixture.run().succeeded().stdout.contains("erased 0 PINs"))
    }

    @Test("Numbers that banks have seen are not given again, and their old cursors are answered that events are lost")
    func numbers() async throws {
        let fixture = try await Fixture()
        try await fixture.run("--audit", fixture.trail).succeeded()
        try await Task.sleep(for: .seconds(2))
        let server = try await fixture.installation.startServer()
        let old = try await server.events(after: "1", by: fixture.issuer)
        #expect(old.status == 410, "\(old)")
        #expect(
            try await fixture.installation.sql(
                "SELECT bool_and(lost > 1000000), bool_and(handed_out > 1000000) FROM event_feed") == ["t|t"])
        #expect(try await fixture.installation.sql("SELECT last_value > 1000000 FROM cardholder_version") == ["t"])
    }

    @Test("It is refused without the owner's role, and with a copy that ends too early")
    func refusals() async throws {
        let fixture = try await Fixture()
        let lines = try String(contentsOfFile: fixture.trail, encoding: .utf8).split(separator: "\n")
        let early = try TestFolder.shared.write("\(lines[0])\n", named: "early")
        let later = Date().addingTimeInterval(86_400).formatted(.iso8601)
        let short = try await fixture.installation.run(
            ["database", "restored", "--backup-time", later, "--audit", early])
        #expect(short.status == 65 && short.stderr.contains("ends before the backup"), "\(short)")
        let broken = try await fixture.run("--audit", try TestFolder.shared.write("no JSON\n", named: "broken"))
        #expect(broken.status == 65 && broken.stderr.contains("line 1"), "\(broken)")
        let serving = try await fixture.installation.run([
            "database", "restored", "--backup-time", fixture.backupTime, "--database-url",
            fixture.installation.databaseURL,
        ])
        #expect(serving.status == 78 && serving.stderr.contains("does not own the schema"), "\(serving)")
    }

    @Test("It is refused while a server runs")
    func servers() async throws {
        // No server starts on a database that was restored after a seal.
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let running = try await installation.run([
            "database", "restored", "--backup-time", Date().formatted(.iso8601),
        ])
        #expect(running.status == 1 && running.stderr.contains("stop all servers"), "\(running)")
        try await server.stop()
    }
}
