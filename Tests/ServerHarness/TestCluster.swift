internal import EmbeddedPostgres
internal import Foundation
internal import Logging

/// A PostgreSQL server of the tests' own, with any number of databases.
public actor TestCluster {
    /// The one of this test process.
    public static let shared = Once { try await TestCluster() }

    private let directory: String
    private var postgres: EmbeddedPostgres
    private let migratedDatabase = "migrated"
    private var isMigrated = false
    private var databaseCount = 0

    /// Starts a server with a cluster of its own: for tests that stop it.
    public init() async throws {
        directory = TestFolder.shared.unused("cluster")
        postgres = try await Self.open(directory)
    }

    private static func open(_ directory: String) async throws -> EmbeddedPostgres {
        var logger = Logger(label: "tests")
        logger.logLevel = .warning
        return try await EmbeddedPostgres.open(EmbeddedPostgresConfiguration(dataDirectory: directory), logger: logger)
    }

    /// Stops the server; connections are ended.
    public func stop() async {
        await postgres.close()
    }

    /// Starts it again, where its databases are found as before.
    public func start() async throws {
        postgres = try await Self.open(directory)
    }

    /// Makes a database with the schema that the program under test has; returns its URL.
    func makeDatabase() async throws -> String {
        if !isMigrated { try await makeMigratedDatabase() }
        databaseCount += 1
        let name = "test_\(databaseCount)"
        try await administrate("CREATE DATABASE \(name) OWNER card_companion TEMPLATE \(migratedDatabase)")
        return url(of: name)
    }

    private func makeMigratedDatabase() async throws {
        isMigrated = true
        try await administrate("CREATE DATABASE \(migratedDatabase) OWNER card_companion")
        let environment = ["DATABASE_URL": url(of: migratedDatabase), "DATA_DIRECTORY": directory]
        try await TestCommand.run(CardCompanionBinary.path, ["migrate"], environment: environment).succeeded()
    }

    private func administrate(_ statement: String) async throws {
        _ = try await SQL.run(statement, at: "\(postgres.connectionString) dbname=postgres user=postgres")
    }

    private func url(of database: String) -> String {
        "\(postgres.connectionString) dbname=\(database)"
    }
}

/// SQL through psql, a client that shares nothing with the server under test.
enum SQL {
    /// Runs statements in one transaction; returns the rows, a line each, their columns separated by `|`.
    static func run(_ statements: String, at url: String) async throws -> [String] {
        let arguments = ["-XAtq", "-1", "-v", "ON_ERROR_STOP=1", "-f", "-", url]
        let isAlone = statements.hasPrefix("CREATE DATABASE")
        let result = try await TestCommand.run(
            "psql", isAlone ? ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statements, url] : arguments,
            stdin: isAlone ? "" : statements
        ).succeeded()
        return result.stdout.split(separator: "\n").map(String.init)
    }
}
