internal import EmbeddedPostgres
internal import Foundation
internal import Logging

/// A PostgreSQL server of the tests' own, with any number of databases.
public actor TestCluster {
    /// The one of this test process.
    public static let shared = Once { try await TestCluster() }

    private let directory: String
    private let connectionString: String
    private let template: Once<String>
    private var postgres: EmbeddedPostgres
    private var databaseCount = 0

    /// Starts a server with a cluster of its own: for tests that stop it.
    public init() async throws {
        let directory = TestFolder.shared.unused("cluster")
        let postgres = try await Self.open(directory)
        let connectionString = postgres.connectionString
        self.directory = directory
        self.postgres = postgres
        self.connectionString = connectionString
        template = Once { try await Self.makeTemplate(connectionString, directory) }
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
        let template = try await template.value
        databaseCount += 1
        let name = "test_\(databaseCount)"
        try await Self.makeDatabase(name, template: template, connectionString)
        return "\(connectionString) dbname=\(name)"
    }

    private static func makeTemplate(_ connectionString: String, _ directory: String) async throws -> String {
        let name = "migrated"
        try await makeDatabase(name, template: "template1", connectionString)
        let environment = ["DATABASE_URL": "\(connectionString) dbname=\(name)", "DATA_DIRECTORY": directory]
        try await TestCommand.run(CardCompanionBinary.path, ["migrate"], environment: environment).succeeded()
        return name
    }

    private static func makeDatabase(_ name: String, template: String, _ connectionString: String) async throws {
        _ = try await SQL.runAlone(
            "CREATE DATABASE \(name) OWNER card_companion TEMPLATE \(template)",
            at: "\(connectionString) dbname=postgres user=postgres")
    }
}

/// SQL through psql, a client that shares nothing with the server under test.
enum SQL {
    private static let options = ["-XAtq", "-v", "ON_ERROR_STOP=1"]

    /// Runs statements in one transaction; returns the rows, a line each, their columns separated by `|`.
    static func run(_ statements: String, at url: String) async throws -> [String] {
        try await rows(options + ["-1", "-f", "-", url], stdin: statements)
    }

    /// Runs a statement that must not be in a transaction.
    static func runAlone(_ statement: String, at url: String) async throws -> [String] {
        try await rows(options + ["-c", statement, url], stdin: "")
    }

    private static func rows(_ arguments: [String], stdin: String) async throws -> [String] {
        let result = try await TestCommand.run("psql", arguments, stdin: stdin).succeeded()
        return result.stdout.split(separator: "\n").map(String.init)
    }
}
