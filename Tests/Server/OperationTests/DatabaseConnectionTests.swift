import PostgresHarness
import ServerHarness
import Testing

/// Commands that reach the database over TCP, with a password (SCRAM) and with TLS.
@Suite("Commands and their connections")
struct DatabaseConnectionTests {
    private static let commandCount = 60

    private static let cluster = Once { try await NetworkCluster.shared() }

    @Test("Commands end with status 0, however short they are", arguments: ["disable", "require"])
    func ends(sslmode: String) async throws {
        let cluster = try await Self.cluster.value
        let environment = [
            "DATABASE_URL": cluster.tcpURL("host=127.0.0.1 sslmode=\(sslmode)"),
            "DATA_DIRECTORY": TestFolder.shared.unused("data"), "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "60",
        ]
        @Sendable func run(_ arguments: [String]) async throws -> CommandResult {
            try await TestCommand.run(CardCompanionBinary.path, arguments, environment: environment)
        }
        try await run(["migrate"]).succeeded()
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.commandCount { group.addTask { try await run(["bank", "list"]) } }
            for try await result in group { #expect(result.status == 0, "\(result.stderr)") }
        }
    }
}
