import Foundation
import Logging
import SystemPackage
import Testing

@testable import EmbeddedPostgres

/// A data folder for one test. After the test, its server is stopped and the folder is removed.
struct TestServer {
    let base: FilePath
    var configuration: EmbeddedPostgresConfiguration

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    var data: FilePath { FilePath(configuration.dataDirectory) }

    static func with(
        _ name: String = "data", _ body: (TestServer) async throws -> Void
    ) async throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let base = try Directory.makeUnique(FilePath("\(parent)/embedded-postgres-test"), owner: .current, mode: 0o755)
        var configuration = EmbeddedPostgresConfiguration(dataDirectory: base.appending(name).string)
        configuration.systemDirectory = base.appending("system")
        let server = TestServer(base: base, configuration: configuration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try? await server.cluster.shutDown()
        try FileManager.default.removeItem(atPath: base.string)
        try result.get()
    }

    func open() async throws(EmbeddedPostgresError) -> EmbeddedPostgres {
        try await EmbeddedPostgres.open(configuration, logger: Self.logger)
    }

    /// Opens the server, and closes it after `body`.
    func use<Value>(_ body: (EmbeddedPostgres) async throws -> Value) async throws -> Value {
        let postgres = try await open()
        do {
            let value = try await body(postgres)
            await postgres.close()
            return value
        } catch {
            await postgres.close()
            throw error
        }
    }

    /// The internal cluster. Creates its folder if nothing was opened yet.
    var cluster: Cluster {
        get async throws {
            Cluster(
                folder: try await ServerFolder.locate(configuration), configuration: configuration, logger: Self.logger)
        }
    }

    var postmasterID: Int32? {
        get async throws { try await cluster.postmaster?.processID }
    }
}

/// Runs a statement with psql, a client that is independent of this project.
func psql(
    _ connectionString: String, _ statement: String, user: ServerUser = .current
) async throws -> Command.Result {
    let arguments = ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, connectionString]
    return try await Command("psql", arguments, user: user, timeoutSeconds: 180).run()
}

/// The row that a statement returns.
func query(_ postgres: EmbeddedPostgres, _ statement: String) async throws -> String {
    let result = try await psql(postgres.connectionString, statement)
    try #require(result.isSuccess, "\(result.output)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
}

/// Checks the row that a statement returns.
func expect(
    _ postgres: EmbeddedPostgres, _ statement: String, gives expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let row = try await query(postgres, statement)
    #expect(row == expected, sourceLocation: sourceLocation)
}

/// Waits until a condition is true. Fails after the time limit.
func eventually(limitSeconds: Int = 180, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(limitSeconds)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "the condition was not true within \(limitSeconds) s")
        try await Task.sleep(for: .milliseconds(100))
    }
}
