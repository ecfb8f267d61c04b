import ServerHarness
import Testing

/// A database that cannot be reached (protocol, sections 1 and 2.3).
@Suite("Definition during a database outage")
struct OutageTests {
    private static let recoveryLimitSeconds = 180

    @Test("Requests are answered 503 with Retry-After; when the database is back, the same requests are answered 0")
    func databaseStopped() async throws {
        let cluster = try await TestCluster()
        let service = try await Service(
            on: cluster, environment: ["DATABASE_ACQUIRE_TIMEOUT_SECONDS": "5"], holderCount: 8)
        var attempts: [Attempt] = []
        for call in DefinitionCall.allCases {
            attempts.append(try await service.defining("83052", call, service.holder()))
        }
        await cluster.stop()
        for attempt in attempts {
            let answer = try await service.send(attempt)
            #expect(answer.status == 503 && answer.code == nil, "\(attempt.call)")
            #expect(answer["Retry-After"].flatMap { Int($0) } != nil)
            #expect(answer["Content-Type"] == "application/problem+json")
        }

        try await cluster.start()
        try await recover(service)
        for attempt in attempts { #expect(try await service.code(attempt) == 0, "\(attempt.call)") }
        try await service.server.stop()
        await cluster.stop()
    }

    private func recover(_ service: Service) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.recoveryLimitSeconds)
        while try await service.server.request("GET", "/health/ready").status != 200 {
            try #require(ContinuousClock.now < deadline, "the server did not reconnect to the database")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
