internal import EmbeddedPostgres
internal import Foundation
internal import Logging

/// A PostgreSQL server for the tests, with any number of databases.
package actor TestCluster {
    /// The shared cluster of this test process.
    package static let shared = Once { try await TestCluster() }

    private let directory: String
    private let connectionString: String
    private let serviceConnectionString: String
    private let templates: Once<Templates>
    private var postgres: EmbeddedPostgres
    private var databaseCount = 0

    /// Starts a separate server. Use it in tests that stop the database.
    package init() async throws {
        let directory = TestFolder.shared.unused("cluster")
        let postgres = try await Self.open(directory)
        let connectionString = postgres.connectionString
        // For some hundred databases it would start ten processes per second.
        try await Self.set("autovacuum_naptime", to: "1d", at: connectionString)
        self.directory = directory
        self.postgres = postgres
        self.connectionString = connectionString
        serviceConnectionString = postgres.serviceConnectionString
        let serviceConnectionString = serviceConnectionString
        templates = Once { try await Self.makeTemplates(connectionString, serviceConnectionString, directory) }
    }

    private static func open(_ directory: String) async throws -> EmbeddedPostgres {
        var logger = Logger(label: "tests")
        logger.logLevel = .warning
        var configuration = EmbeddedPostgresConfiguration(dataDirectory: directory)
        // On a slow machine the servers of many tests run beside each other.
        configuration.connectionLimit = 500
        return try await EmbeddedPostgres.open(configuration, logger: logger)
    }

    /// Stops the server and closes its connections.
    package func stop() async {
        await postgres.close()
    }

    /// Starts the server again, with the same databases.
    package func start() async throws {
        postgres = try await Self.open(directory)
    }

    /// Stops all its processes as a host that hangs does: connections stay open, and nothing answers.
    package func freeze() async throws { try await signal("STOP") }

    /// Lets the processes go on.
    package func thaw() async throws { try await signal("CONT") }

    private func signal(_ name: String) async throws {
        let file = try String(contentsOfFile: "\(directory)/postgres/cluster/postmaster.pid", encoding: .utf8)
        let process = String(file.prefix { $0 != "\n" })
        // First the one that starts the others.
        try await TestCommand.run("kill", ["-\(name)", process]).succeeded()
        try await TestCommand.run("pkill", ["-\(name)", "-P", process]).succeeded()
    }

    /// Changes a setting of the server, as a superuser.
    package func set(_ setting: String, to value: String) async throws {
        try await Self.set(setting, to: value, at: connectionString)
    }

    private static func set(_ setting: String, to value: String, at connectionString: String) async throws {
        let url = "\(connectionString) dbname=postgres user=postgres"
        _ = try await SQL.runAlone("ALTER SYSTEM SET \(setting) = '\(value)'", at: url)
        _ = try await SQL.runAlone("SELECT pg_reload_conf()", at: url)
    }

    /// Runs a statement as a superuser.
    package func runAsSuperuser(_ statement: String) async throws -> [String] {
        try await SQL.runAlone(statement, at: "\(connectionString) dbname=postgres user=postgres")
    }

    /// Databases that others are copies of.
    private struct Templates {
        let migrated = "migrated"
        let withKeys = "with_keys"
        /// The vault of the keys.
        let vaultFile: String
    }

    /// Makes a database with the migrated schema of the program under test; returns its connection strings.
    ///
    /// - Parameter vaultFile: where the vault of the database's keys is written, so that no server has to make keys; nil for a
    ///   database without keys.
    func makeDatabase(vaultFile: String?) async throws -> (service: String, owner: String) {
        let templates = try await templates.value
        databaseCount += 1
        let name = "test_\(databaseCount)"
        let template = vaultFile == nil ? templates.migrated : templates.withKeys
        try await Self.makeDatabase(name, template: template, connectionString)
        if let vaultFile {
            let folder = URL(filePath: vaultFile).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: templates.vaultFile, toPath: vaultFile)
        }
        return urls(of: name)
    }

    /// Makes a copy of a database, which ends all sessions of it; returns its connection strings.
    func copyDatabase(_ ownerURL: String) async throws -> (service: String, owner: String) {
        guard let original = ownerURL.split(separator: "dbname=").last.map(String.init) else {
            throw SetupFailed(description: "no database in '\(ownerURL)'")
        }
        _ = try await runAsSuperuser(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(original)'")
        databaseCount += 1
        let name = "test_\(databaseCount)"
        try await Self.makeDatabase(name, template: original, connectionString)
        return urls(of: name)
    }

    private func urls(of name: String) -> (service: String, owner: String) {
        ("\(serviceConnectionString) dbname=\(name)", "\(connectionString) dbname=\(name)")
    }

    private static func makeTemplates(
        _ connectionString: String, _ serviceConnectionString: String, _ directory: String
    ) async throws -> Templates {
        let templates = Templates(vaultFile: "\(directory)/template/vault.key")
        try await makeDatabase(templates.migrated, template: "template1", connectionString)
        let environment = [
            "DATABASE_URL": "\(connectionString) dbname=\(templates.migrated)", "DATA_DIRECTORY": directory,
            "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "60",
        ]
        try await TestCommand.run(CardCompanionBinary.path, ["migrate"], environment: environment).succeeded()
        try await makeDatabase(templates.withKeys, template: templates.migrated, connectionString)
        try await DirectSetup.run(
            at: "\(serviceConnectionString) dbname=\(templates.withKeys)", vaultFile: templates.vaultFile
        ) { try await $0.makeKeys() }
        return templates
    }

    private static func makeDatabase(_ name: String, template: String, _ connectionString: String) async throws {
        _ = try await SQL.runAlone(
            "CREATE DATABASE \(name) OWNER card_companion TEMPLATE \(template)",
            at: "\(connectionString) dbname=postgres user=postgres")
    }
}
