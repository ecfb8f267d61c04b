import CardCompanion
import CardCompanionStore
import EmbeddedPostgres
import Foundation
import KeyVault
import Logging
import PostgresLibPQ

/// What commands work on: the database, the vault and the clock of one installation.
struct Installation: Sendable {
    let settings: ServerSettings
    let store: Store
    let clock = WallClock.system
    let logger: Logger
    private let client: PostgresClient
    private let ownsSchema: Bool

    init(_ settings: ServerSettings, _ client: PostgresClient, ownsSchema: Bool, logger: Logger) {
        self.settings = settings
        self.client = client
        self.ownsSchema = ownsSchema
        self.logger = logger
        store = Store(client: client)
    }

    var migrations: MigrationRunner { MigrationRunner(client: client, logger: logger) }

    /// Brings the private database up to date; one that somebody else runs is only checked.
    func prepareSchema() async throws {
        if ownsSchema {
            _ = try await migrations.run()
        } else {
            try await migrations.check()
        }
    }

    /// Opens the vault, whose key file is made where there is none, and the data keys with it.
    func keyring() async throws -> Keyring {
        try await Keyring.opened(with: try masterKey(), in: store, clock: clock)
    }

    private func masterKey() throws -> FileMasterKey {
        let path = settings.vaultFile
        guard !FileManager.default.fileExists(atPath: path) else { return try FileMasterKey(path: path) }
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try FileMasterKey.create(path: path)
    }

    /// The bank of that id.
    ///
    /// - Throws: ``CommandError`` where there is none.
    func bank(_ id: String) async throws -> BankRecord {
        guard let bank = try await store.bank(id: id) else {
            throw CommandError.notFound("there is no bank '\(id)': see 'card-companion bank list'")
        }
        return bank
    }

    /// Runs a short command on the installation that the options name.
    static func run<Result: Sendable>(
        _ options: ConfigurationOptions, preparing: Bool = true,
        _ command: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        let settings = try await ServerSettings.read(options)
        let logger = Log.bootstrap(settings, forServer: false)
        let database = try await Database.open(settings, logger: logger)
        do {
            let result = try await database.connected(settings, logger: logger) { installation in
                if preparing { try await installation.prepareSchema() }
                return try await command(installation)
            }
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }
}

/// The database: the operator's, or the private one.
struct Database: Sendable {
    let url: String
    /// Nil where the operator has named a database.
    let embedded: EmbeddedPostgres?

    static func open(_ settings: ServerSettings, logger: Logger) async throws -> Database {
        if let url = settings.databaseURL { return Database(url: url.text, embedded: nil) }
        var configuration = EmbeddedPostgresConfiguration(dataDirectory: settings.dataDirectory)
        configuration.binaryDirectory = settings.databaseBinaries
        let embedded = try await EmbeddedPostgres.open(configuration, logger: logger)
        return Database(url: embedded.connectionString, embedded: embedded)
    }

    func close() async {
        await embedded?.close()
    }

    func client(_ settings: ServerSettings, logger: Logger) -> PostgresClient {
        var configuration = PostgresConfiguration(url: url)
        configuration.applicationName = "card-companion"
        configuration.maximumConnections = settings.databaseConnections
        configuration.statementTimeoutMilliseconds = settings.databaseStatementTimeoutMilliseconds
        configuration.acquireTimeoutSeconds = Double(settings.databaseAcquireTimeoutSeconds)
        return PostgresClient(configuration: configuration, logger: logger)
    }

    /// Runs `body` with a connected installation.
    fileprivate func connected<Result: Sendable>(
        _ settings: ServerSettings, logger: Logger,
        _ body: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        let client = client(settings, logger: logger)
        let installation = Installation(settings, client, ownsSchema: embedded != nil, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            return try await body(installation)
        }
    }
}

/// Where the log goes: standard error, so that a command's output stays its own.
enum Log {
    static func bootstrap(_ settings: ServerSettings, forServer: Bool) -> Logger {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var logger = Logger(label: "card-companion")
        logger.logLevel = forServer ? settings.logLevel : max(settings.logLevel, .warning)
        return logger
    }
}
