import CardCompanion
import CardCompanionStore
import EmbeddedPostgres
import Foundation
import JSONLog
import KeyVault
import Logging

/// The database, the vault and the clock that commands work on.
struct Installation: Sendable {
    let settings: ServerSettings
    let store: Store
    let clock = WallClock.system
    let logger: Logger

    init(_ settings: ServerSettings, _ store: Store, logger: Logger) {
        self.settings = settings
        self.store = store
        self.logger = logger
    }

    /// Makes sure that this program can serve the database.
    func checkSchema() async throws {
        let schema = try await SchemaRunner(store: store, logger: logger).check()
        if schema.isNewer { logger.notice("The schema of the database is newer than this program, which can serve it") }
        if schema.isOwned {
            logger.notice(
                "The database role owns the schema: use a role that can only serve",
                metadata: ["group_role": "\(SchemaRunner.serviceRole)"])
        }
    }

    func dataKeys(of vault: any Vault) -> DataKeys { DataKeys(store: store, clock: clock, vault: vault) }

    /// Runs `body` with the data keys of the database, and counts what it seals with them.
    func withKeyring<Result>(_ body: (Keyring) async throws -> Result) async throws -> Result {
        try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let result = try await body(keyring)
            try await dataKeys.report(keyring)
            return result
        }
    }

    /// Runs `body` with the data keys, and gives up the connection to the vault afterwards.
    func withDataKeys<Result>(_ body: (DataKeys) async throws -> Result) async throws -> Result {
        try await withVault(settings.vault.vault(forServer: false)) { try await body(dataKeys(of: $0)) }
    }

    /// Runs `body` with the keys that sign seals of the audit trail.
    func withSealKeys<Result>(_ body: (SealKeys) async throws -> Result) async throws -> Result {
        try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let serverKeys = try await ServerKeys.opened(with: keyring, in: store, clock: clock)
            let result = try await body(
                SealKeys(store: store, serverKeys: serverKeys, keyring: keyring, vault: dataKeys.vault, clock: clock))
            try await dataKeys.report(keyring)
            return result
        }
    }

    func withVault<Opened: Vault, Result>(
        _ vault: Opened, _ body: (Opened) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(vault)
            await vault.close()
            return result
        } catch {
            await vault.close()
            throw error
        }
    }

    /// The bank of that id.
    ///
    /// - Throws: ``CommandError`` if there is none.
    func bank(_ id: Identifier) async throws -> BankRecord {
        try Self.found(try await store.bank(id: id), id)
    }

    /// What provisioning needs to know of the bank of that id.
    ///
    /// - Throws: ``CommandError`` if there is none.
    func issuerBank(_ id: Identifier) async throws -> IssuerBank {
        try Self.found(try await store.issuerBank(id: id, now: clock.now()), id)
    }

    private static func found<Bank>(_ bank: Bank?, _ id: Identifier) throws -> Bank {
        guard let bank else { throw CommandError.notFound("there is no bank '\(id)': see 'card-companion bank list'") }
        return bank
    }

    /// Runs a short command on the installation that the options name.
    ///
    /// - Parameters:
    ///   - asOwner: whether it runs as the database role that owns the schema, if the database is the private one.
    ///   - action: what the command changes, for the audit trail; nil if it changes nothing.
    static func run<Result: Sendable>(
        _ options: some SettingOptions, asOwner: Bool = false, action: AdminAction? = nil,
        _ command: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        try await Database.opened(options) { database, settings, logger in
            try await database.prepare(settings, logger: logger)
            let url = asOwner ? database.ownerURL : database.url
            return try await database.connected(to: url, settings, logger: logger) { store in
                let installation = Installation(settings, store, logger: logger)
                try await installation.checkSchema()
                guard let action else { return try await command(installation) }
                return try await action.recorded(in: logger) { try await command(installation) }
            }
        }
    }
}

extension Installation {
    /// Runs `body` on an installation whose database may be of no use to a server.
    static func examined<Result: Sendable>(
        _ options: some SettingOptions, _ body: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        try await Database.opened(options, isQuiet: true) { database, settings, logger in
            try await database.connected(to: database.url, settings, logger: logger) { store in
                try await body(Installation(settings, store, logger: logger))
            }
        }
    }
}

/// The database: the operator's, or the private one.
struct Database: Sendable {
    /// The connection string of the role that serves.
    let url: String
    /// The connection string of the role that migrates. For the operator's database it is the same.
    let ownerURL: String
    /// Nil if the operator has named a database.
    let embedded: EmbeddedPostgres?

    static func open(_ settings: ServerSettings, logger: Logger) async throws -> Database {
        if let url = settings.databaseURL { return Database(url: url.text, ownerURL: url.text, embedded: nil) }
        var configuration = EmbeddedPostgresConfiguration(dataDirectory: settings.dataDirectory)
        configuration.binaryDirectory = settings.databaseBinaries
        let embedded = try await EmbeddedPostgres.open(configuration, logger: logger)
        return Database(
            url: embedded.serviceConnectionString, ownerURL: embedded.connectionString, embedded: embedded)
    }

    func close() async {
        await embedded?.close()
    }

    /// Opens the database that the options name while `body` runs.
    ///
    /// - Parameter isQuiet: whether only errors are logged.
    static func opened<Result: Sendable>(
        _ options: some SettingOptions, isQuiet: Bool = false,
        _ body: @Sendable @escaping (Database, ServerSettings, Logger) async throws -> Result
    ) async throws -> Result {
        let settings = try await ServerSettings.read(options)
        var logger = Log.bootstrap(settings, forServer: false)
        if isQuiet { logger.logLevel = .error }
        let database = try await open(settings, logger: logger)
        do {
            let result = try await body(database, settings, logger)
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }

    /// Brings the private database up to date. An operator's database is migrated by 'card-companion migrate' only.
    func prepare(_ settings: ServerSettings, logger: Logger) async throws {
        if embedded != nil { _ = try await migrate(settings, logger: logger) }
    }

    /// Brings the schema up to date.
    ///
    /// - Returns: the names of what was applied.
    func migrate(_ settings: ServerSettings, logger: Logger) async throws -> [String] {
        try await connected(to: ownerURL, settings, logger: logger) { store in
            try await SchemaRunner(store: store, logger: logger).run()
        }
    }

    /// - Parameter connections: the most connections; nil for the server's setting.
    func store(at url: String, _ settings: ServerSettings, connections: Int? = nil, logger: Logger) -> Store {
        var configuration = StoreConfiguration(url: url)
        configuration.maximumConnections = connections ?? settings.databaseConnections
        configuration.statementTimeoutMilliseconds = settings.databaseStatementTimeoutMilliseconds
        configuration.acquireTimeoutSeconds = settings.databaseAcquireTimeoutSeconds
        configuration.changesSessions = settings.databaseChangesSessions
        return Store(configuration, logger: logger)
    }

    /// Runs `body` with a connected store. A command does one thing at a time, so one connection serves it.
    fileprivate func connected<Result: Sendable>(
        to url: String, _ settings: ServerSettings, logger: Logger,
        _ body: @Sendable @escaping (Store) async throws -> Result
    ) async throws -> Result {
        let store = store(at: url, settings, connections: 1, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.run() }
            defer { group.cancelAll() }
            return try await body(store)
        }
    }
}

/// The log goes to standard error: standard output belongs to the command.
enum Log {
    static func bootstrap(_ settings: ServerSettings, forServer: Bool) -> Logger {
        LoggingSystem.bootstrap { label -> any LogHandler in
            if settings.logsJSON { return JSONLogHandler.standardError() }
            return StreamLogHandler.standardError(label: label)
        }
        var logger = Logger(label: "card-companion")
        logger.logLevel = forServer ? settings.logLevel : max(settings.logLevel, .warning)
        return logger
    }
}
