import Foundation
import ServerHarness
import Testing

/// A bank whose settings this program does not understand: a newer program has written them, or somebody who writes to the
/// database.
@Suite("Banks whose settings cannot be read")
struct UnreadableBankTests {
    private struct Fixture {
        let installation: TestInstallation
        let good: TestBank
        let bad: TestBank
        let server: TestServer
        let holder = TestCardholder()

        /// - Parameter change: of the bad bank's settings: SQL.
        init(_ change: String) async throws {
            installation = try await TestInstallation()
            good = try await installation.makeBank()
            bad = try await installation.makeBank()
            server = try await installation.startServer()
            try await installation.provision([holder], of: good, through: server)
            try await installation.provision([holder], of: bad, through: server)
            try await installation.sql(
                """
                UPDATE bank SET settings = \(change), settings_digest = sha256(convert_to(\(change), 'UTF8'))
                    WHERE bank_id = '\(bad.id)'
                """)
        }
    }

    /// Of the limits' pairs, each line alone is allowed.
    private static let changes = [
        "settings || E'fromTheFuture=1\\n'",
        "replace(settings, E'\\npinMinimumLength=4\\n', E'\\npinMinimumLength=12\\n')",
        "replace(settings, E'\\ncodeMinimumLength=4\\n', E'\\ncodeMinimumLength=64\\n')",
        "replace(settings, E'\\ndefinedPINKey=\\n', E'\\ndefinedPINKey=key\\n')",
        "replace(settings, E'\\nretryLimit=3\\n', E'\\nretryLimit=2000\\n')",
    ]

    @Test("It is not served, other banks are, and the log and the commands say so", arguments: changes)
    func notServed(change: String) async throws {
        let fixture = try await Fixture(change)
        let (server, installation) = (fixture.server, fixture.installation)
        let unknown = TestBank(id: "NOBODY", hmacKey: fixture.bad.hmacKey, signer: fixture.bad.signer)
        for _ in 0..<2 {
            let refused = try await server.fetch(fixture.holder, of: fixture.bad)
            #expect(try await refused == server.fetch(fixture.holder, of: unknown))
        }
        #expect(try await server.fetch(fixture.holder, of: fixture.good) == .delivered)
        try await eventually("the log says it") { !server.logLines(with: "Ignored a bank", fixture.bad.id).isEmpty }
        #expect(server.logLines(with: "Ignored a bank").count == 1)

        let list = try await installation.run(["bank", "list"]).succeeded()
        #expect(list.stdout.contains(fixture.good.id) && !list.stdout.contains(fixture.bad.id))
        #expect(list.stderr.contains("not served") && list.stderr.contains(fixture.bad.id))
        let shown = try await installation.run(["bank", "show", fixture.bad.id])
        #expect(shown.status == 78 && shown.stderr.contains(fixture.bad.id))
        let examined = try await installation.run(["doctor"])
        #expect((examined.stdout + examined.stderr).contains("the bank is not served"))
    }

    @Test("The column with the programme cannot differ from the settings")
    func programme() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(["--programme", #"A\B"#])
        #expect(try await installation.sql("SELECT programme FROM bank WHERE bank_id = '\(bank.id)'") == [#"A\B"#])
        await #expect(throws: (any Error).self) {
            try await installation.sql("UPDATE bank SET programme = 'OTHER' WHERE bank_id = '\(bank.id)'")
        }
    }
}
