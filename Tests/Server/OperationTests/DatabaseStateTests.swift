import Foundation
import ServerHarness
import Testing

/// A database that answers, but not as it should.
@Suite("A database in a wrong state")
struct DatabaseStateTests {
    private struct Fixture {
        let cluster: TestCluster
        let installation: TestInstallation
        /// The database's name. Later nobody but a superuser may be able to ask for it.
        let database: String
        let server: TestServer
        let bank: TestBank
        let holder = TestCardholder()

        init() async throws {
            cluster = try await TestCluster()
            installation = try await TestInstallation(on: cluster)
            database = try await installation.sql("SELECT current_database()")[0]
            bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
            server = try await installation.startServer()
            try await installation.provision([holder], of: bank, through: server)
            #expect(try await fetch() == 200)
        }

        func fetch() async throws -> Int {
            let answer = try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder)))
            return answer.status == 200 && answer.code != 0 ? 500 : answer.status
        }

        /// Changes the database, and ends the server's sessions.
        func alterDatabase(_ change: String) async throws {
            _ = try await cluster.runAsSuperuser("ALTER DATABASE \(database) \(change)")
            _ = try await cluster.runAsSuperuser(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'card-companion'")
        }

        /// What 'doctor' says is wrong with the database.
        func complaints() async throws -> [String] {
            let report = try await installation.with(environment: DatabaseStateTests.impatience).run([
                "doctor", "--json",
            ])
            let findings = try JSON(parsing: report.stdout).object?["findings"]?.array?.compactMap(\.object) ?? []
            return findings.filter { $0["level"] == "error" && $0["area"] == "database" }
                .compactMap { $0["text"]?.string }
        }
    }

    /// For commands that find no database.
    private static let impatience = ["DATABASE_ACQUIRE_TIMEOUT_SECONDS": "10"]

    @Test("If all connections are taken, requests are answered 503, doctor names it, and later they are served again")
    func full() async throws {
        let fixture = try await Fixture()
        try await fixture.alterDatabase("CONNECTION LIMIT 0")
        try await eventually("requests are refused") { try await fixture.fetch() == 503 }
        let doctor = try await fixture.complaints()
        #expect(doctor.contains { $0.contains("too many connections") }, "\(doctor)")
        let start = try await fixture.installation.with(environment: Self.impatience).run(["serve", "--http-port", "0"])
        #expect(start.status == 69 && start.stderr.contains("too many connections"), "\(start)")
        try await fixture.alterDatabase("CONNECTION LIMIT -1")
        try await eventually("requests are served") { try await fixture.fetch() == 200 }
    }

    @Test("If the database is read-only, requests are answered 503, doctor names it, and later they are served again")
    func readOnly() async throws {
        let fixture = try await Fixture()
        try await fixture.alterDatabase("SET default_transaction_read_only = on")
        try await eventually("requests are refused") { try await fixture.fetch() == 503 }
        let doctor = try await fixture.complaints()
        #expect(doctor.contains { $0.contains("read-only") }, "\(doctor)")
        try await fixture.alterDatabase("RESET default_transaction_read_only")
        try await eventually("requests are served") { try await fixture.fetch() == 200 }
    }

    @Test("If the schema is gone, requests fail, and when it is there again they are served")
    func schema() async throws {
        let fixture = try await Fixture()
        try await fixture.installation.sql("ALTER SCHEMA card_companion RENAME TO elsewhere")
        #expect(try await fixture.fetch() == 500)
        try await fixture.installation.sql("ALTER SCHEMA elsewhere RENAME TO card_companion")
        try await eventually("requests are served") { try await fixture.fetch() == 200 }
    }

    @Test("A host that nobody knows, and a program that is not PostgreSQL, are named at the start and by doctor")
    func wrongServer() async throws {
        let fixture = try await Fixture()
        let impatient = fixture.installation.with(environment: Self.impatience)
        for (host, text) in [
            ("nobody.invalid", "could not translate host name"),
            ("127.0.0.1:\(fixture.server.port)", "invalid response"),
        ] {
            let url = ["--database-url", "postgresql://\(host)/cards"]
            let start = try await impatient.run(["serve", "--http-port", "0"] + url)
            #expect(start.status == 69 && start.stderr.contains(text), "\(start)")
            let doctor = try await impatient.run(["doctor"] + url)
            #expect(doctor.status != 0 && doctor.stdout.contains(text), "\(doctor)")
        }
    }
}
