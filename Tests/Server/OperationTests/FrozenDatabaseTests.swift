import Foundation
import ServerHarness
import Testing

/// A database that hangs, as on a host that is frozen or whose disk does not answer.
@Suite("A frozen database")
struct FrozenDatabaseTests {
    /// Two seconds for the answer and two for a connection, and time for a busy machine.
    private static let limit = Duration.seconds(45)

    private struct Fixture {
        let cluster: TestCluster
        let server: TestServer
        let bank: TestBank
        let holder = TestCardholder()

        /// With the limits that servers have without settings.
        init() async throws {
            cluster = try await TestCluster()
            let installation = try await TestInstallation(on: cluster)
            bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
            server = try await installation.startServer(environment: [
                "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "2000", "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "2",
            ])
            try await installation.provision([holder], of: bank, through: server)
        }

        func fetch() async throws -> Int {
            try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder))).status
        }
    }

    @Test("Requests are answered 503 soon, and are served again when the database goes on")
    func frozen() async throws {
        let fixture = try await Fixture()
        try await eventually("the machine is not too busy for the limits") { try await fixture.fetch() == 200 }
        try await fixture.cluster.freeze()
        do {
            for _ in 0..<3 {
                let begin = ContinuousClock.now
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 { group.addTask { try await fixture.fetch() } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.allSatisfy { $0 == 503 }, "\(statuses)")
                #expect(ContinuousClock.now - begin < Self.limit)
            }
            #expect(try await fixture.server.request("GET", "/health/ready").status == 503)
            #expect(try await fixture.server.request("GET", "/health/live").status == 200)
        } catch {
            try await fixture.cluster.thaw()
            throw error
        }
        try await fixture.cluster.thaw()
        try await eventually("requests are served again", within: 180) { try await fixture.fetch() == 200 }
        await fixture.cluster.stop()
    }

    @Test("What waits for a synchronous standby is answered 503, never as done, also if somebody cancels the wait")
    func missingStandby() async throws {
        let fixture = try await Fixture()
        try await fixture.cluster.set("synchronous_standby_names", to: "nobody")
        try await eventually("PostgreSQL follows the setting") { try await fixture.fetch() == 503 }
        let begin = ContinuousClock.now
        #expect(try await fixture.fetch() == 503)
        #expect(ContinuousClock.now - begin < Self.limit)
        async let status = fixture.fetch()
        for _ in 0..<50 {
            _ = try await fixture.cluster.runAsSuperuser(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await status == 503)
        try await fixture.cluster.set("synchronous_standby_names", to: "")
        try await eventually("requests are served again", within: 180) { try await fixture.fetch() == 200 }
        await fixture.cluster.stop()
    }
}
