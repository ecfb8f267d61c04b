import Foundation
import ServerHarness
import Testing

@Suite("doctor")
struct DoctorTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let level: String
            let area: String
            let text: String
            let remedy: String?
        }

        let findings: [Finding]
        let errors: Int

        func texts(_ level: String, _ area: String) -> [String] {
            findings.filter { $0.level == level && $0.area == area }.map(\.text)
        }
    }

    private func report(_ installation: TestInstallation, _ arguments: String...) async throws -> Report {
        let result = try await installation.run(["doctor", "--json"] + arguments)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.stdout.utf8))
        #expect(result.status == (report.errors == 0 ? 0 : 1), "\(result)")
        return report
    }

    @Test("A working installation has no errors, and what is left to do has a remedy")
    func working() async throws {
        let installation = try await TestInstallation()
        try await installation.startServer().stop()
        _ = try await installation.makeBank()
        let report = try await report(installation)
        #expect(report.errors == 0)
        #expect(report.texts("ok", "schema") == ["up to date"])
        #expect(report.texts("ok", "vault").contains("opens the data keys"))
        #expect(report.texts("ok", "banks") == ["1 bank"])
        #expect(report.texts("warning", "vault").contains { $0.contains("if its master key is lost") })
        #expect(report.texts("warning", "operators").contains { $0.contains("there are no operators") })
        let text = try await installation.run(["doctor"]).succeeded().stdout
        #expect(text.contains("do: name them with 'card-companion vault init --first-operator'"))
        #expect(text.contains("0 errors, "))
    }

    @Test("A port that another program uses is an error, and the server's own is not")
    func port() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        #expect(
            try await report(installation, "--http-port", "\(server.port)").texts("ok", "port").first
                == "a server serves requests at http://127.0.0.1:\(server.port)")
        try await server.stop()
        #expect(
            try await report(installation).texts("ok", "port") == ["the server can listen at 127.0.0.1, port 0"])
        let listener = try SilentListener()
        let taken = try await report(installation, "--http-port", "\(listener.port)")
        #expect(
            taken.texts("error", "port") == [
                "something listens at 127.0.0.1, port \(listener.port), but no card-companion with these settings answers"
            ])
        #expect(taken.findings.contains { $0.remedy?.contains("ss -ltnp") == true })
    }

    @Test("It says whether dual control is off or on")
    func dualControl() async throws {
        let installation = try await TestInstallation()
        try await installation.startServer().stop()
        let operators = try await TestOperators()
        try await installation.run(["vault", "init"] + operators.first()).succeeded()
        #expect(try await report(installation).texts("warning", "operators") == ["dual control is off"])
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
        #expect(try await report(installation).texts("ok", "operators") == ["dual control is on, with 2 operators"])
    }

    @Test("Certificates and CRLs of banks that end soon are named")
    func certificates() async throws {
        let installation = try await TestInstallation()
        try await installation.startServer().stop()
        let bank = try await installation.makeBank()
        #expect(try await report(installation).texts("warning", "banks").isEmpty)
        try await installation.sql("UPDATE certificate SET not_after = now() + interval '5 days 1 hour'")
        #expect(
            try await report(installation).texts("warning", "banks").contains {
                $0.contains("bank '\(bank.id)'") && $0.contains("expires in 5 days")
            })
        try await installation.sql(
            "UPDATE certificate SET not_before = now() - interval '9 days', not_after = now() - interval '5 days'")
        #expect(try await report(installation).texts("warning", "banks").contains { $0.contains("expired on") })
    }

    @Test("A bank of scheme CB that takes PINs in digits is named")
    func digits() async throws {
        let installation = try await TestInstallation()
        try await installation.startServer().stop()
        let bank = try await installation.makeBank(["--definition-by", "both"], scheme: "CB")
        _ = try await installation.makeBank(scheme: "CB")
        _ = try await installation.makeBank(["--definition-by", "pin"])
        let warnings = try await report(installation).texts("warning", "banks")
        #expect(warnings.count == 1 && warnings[0].contains("bank '\(bank.id)': its apps may send"), "\(warnings)")
    }

    @Test("A database that is down, without its schema, or with settings that lose data, is an error")
    func database() async throws {
        let installation = try await TestInstallation()
        let empty = try await TestInstallation()
        try await empty.sql("DROP SCHEMA card_companion CASCADE")
        let missing = try await report(empty).texts("error", "schema")
        #expect(missing.contains { $0.contains("card-companion migrate") }, "\(missing)")
        let down = try await report(installation, "--database-url", "postgresql://127.0.0.1:1/cards")
        #expect(down.texts("error", "database").contains { $0.contains("not available") })
        try await installation.startServer().stop()
        try await installation.sql(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$")
        let lossy = try await report(installation)
        #expect(lossy.texts("error", "database").contains { $0.contains("synchronous_commit is off") })
    }

    @Test("Wrong settings and an unusable vault are errors")
    func settings() async throws {
        let installation = try await TestInstallation()
        try await installation.startServer().stop()
        let plain = try await report(installation, "--http-host", "0.0.0.0")
        #expect(plain.texts("error", "configuration").contains { $0.contains("served without TLS") })
        let file = "\(installation.dataDirectory)/vault.key"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let open = try await report(installation)
        #expect(open.texts("error", "vault").contains { $0.contains("chmod 0600") })
    }
}
