internal import Foundation

/// An installation of the program under test: a database of its own, a data folder with its vault, and any number of
/// servers.
public final class TestInstallation: Sendable {
    /// How to reach the database, as libpq takes it.
    public let databaseURL: String
    /// The data folder.
    public let dataDirectory: String

    /// An empty installation on the shared cluster, or on one of its own.
    public init(on cluster: TestCluster? = nil) async throws {
        let shared = try await TestCluster.shared.value
        databaseURL = try await (cluster ?? shared).makeDatabase()
        dataDirectory = TestFolder.shared.unused("data")
    }

    /// Runs a command of the program to its end.
    public func run(_ arguments: [String], stdin: String = "") async throws -> CommandResult {
        try await TestCommand.run(CardCompanionBinary.path, arguments, environment: environment, stdin: stdin)
    }

    /// Starts a server on a free port and waits until it listens.
    ///
    /// - Parameters:
    ///   - arguments: behind `serve`.
    ///   - environment: takes the place of what the installation sets, or adds to it.
    public func startServer(
        _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> TestServer {
        try await TestServer(
            arguments: ["serve", "--data-directory", dataDirectory] + arguments,
            environment: self.environment.merging(["HTTP_PORT": "0"]) { $1 }.merging(environment) { $1 })
    }

    /// Runs statements on the database in one transaction.
    ///
    /// - Returns: the rows, a line each, their columns separated by `|`.
    @discardableResult
    public func sql(_ statements: String) async throws -> [String] {
        try await SQL.run(statements, at: databaseURL)
    }

    private var environment: [String: String] {
        ["DATABASE_URL": databaseURL, "DATA_DIRECTORY": dataDirectory]
    }
}
