import Foundation
import ServerHarness
import Testing

/// What operators see when the trail behind a running server is replaced.
@Suite("A running server whose audit trail is replaced")
struct RunningServerTests {
    private static func options(in text: String) throws -> [String] {
        let match = try #require(text.firstMatch(of: /--lost (\d+:[0-9a-f]{64}) --found (\d+)/), "\(text)")
        return ["--lost", String(match.1), "--found", String(match.2)]
    }

    @Test("It alarms, doctor says what to do, and it seals again after an epoch that names both ends")
    func replaced() async throws {
        let installation = try await TestInstallation(environment: TestServer.metricsOn)
        let server = try await installation.startServer()
        _ = try await installation.makeBank()
        try await installation.untilSealed()
        try await eventually("the trail is looked at") { try await server.scrape()["audit_trail_intact"] == 1 }
        try await installation.attack(Attack.emptyTrail)
        try await eventually("the server alarms") {
            !server.logLines(with: "critical", "its newest seals are missing").isEmpty
        }
        let scrape = try await server.scrape()
        #expect(scrape["audit_trail_intact"] == 0 && scrape["audit_seal_failures_total"] ?? 0 > 0)

        let verified = try await installation.run(["audit", "verify"])
        #expect(verified.status == 1 && verified.stdout.contains("is missing or is another one"), "\(verified)")
        let doctor = try await installation.run(["doctor"])
        #expect(doctor.status == 1 && doctor.stdout.contains("its newest seals are missing"), "\(doctor)")
        let command = ["audit", "new-epoch", "--reason", "the test accepts it"]
        let refused = try await installation.run(command)
        #expect(refused.status == 1, "\(refused)")
        let named = try Self.options(in: refused.stderr)
        #expect(try Self.options(in: doctor.stdout) == named)
        #expect(try await installation.run(command + [named[0], named[1], "--found", "9"]).status == 1)
        #expect(try await installation.run(command + [named[0], named[1]]).status == 64)
        #expect(try await installation.run(command + ["--lost", "1:00", "--found", "0"]).status == 65)
        try await installation.run(command + named).succeeded()

        try await eventually("the server seals again") {
            let seals = try await installation.sql("SELECT count(*) FROM audit_seal WHERE kind = 'regular'")
            return try await server.scrape()["audit_trail_intact"] == 1 && seals != ["0"]
        }
        try await server.stop()
        let accepted = try await installation.run(["audit", "verify"]).succeeded().stdout
        #expect(accepted.contains("was known, and the database had none"), "\(accepted)")
        let shown = try await installation.run(["audit", "show", "--operation", "audit new-epoch"]).succeeded().stdout
        #expect(shown.contains("was known, seal 0 was found"), "\(shown)")
    }
}
