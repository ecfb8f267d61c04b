internal import Administration
internal import CardCompanionModel
internal import CardCompanionStore
internal import EmbeddedPostgres
internal import Glibc
package import Logging

/// The database: the operator's, or the private one.
package struct Database: Sendable {
    /// The connection string of the role that serves.
    let url: String
    /// The connection string of the role that migrates. For the operator's database it is the same.
    let ownerURL: String
    /// Nil if the operator has named a database.
    let embedded: EmbeddedPostgres?

    /// - Parameter isForMigration: whether only the schema is changed. Then an operator's database leaves nothing in the
    ///   data folder.
    static func open(
        _ settings: ServerSettings, isForMigration: Bool = false, logger: Logger
    ) async throws -> Database {
        if !isForMigration || settings.databaseURL == nil { try settings.requireOwner() }
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
    /// - Parameters:
    ///   - isQuiet: whether only errors are logged.
    ///   - logsAsServer: whether everything is logged that a server would log, because the command runs for long.
    ///   - isForMigration: whether it is opened for 'migrate', which makes a private database if there is none. Another command
    ///     that looks into the wrong folder would leave an empty installation there.
    package static func opened<Result: Sendable>(
        _ options: some SettingOptions, isQuiet: Bool = false, logsAsServer: Bool = false, isForMigration: Bool = false,
        _ body: @Sendable @escaping (Database, ServerSettings, Logger) async throws -> Result
    ) async throws -> Result {
        let settings = try await ServerSettings.read(options)
        guard isForMigration || !settings.isNew else {
            throw CommandError.notFound(
                "there is no database in \(settings.dataDirectory). If yours is elsewhere, name its folder with --data-directory, or "
                    + "its URL with --database-url. For a new installation, run 'card-companion migrate' first")
        }
        var logger = Log.bootstrap(settings, forServer: logsAsServer)
        if isQuiet { logger.logLevel = .error }
        let database = try await open(settings, isForMigration: isForMigration, logger: logger)
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
    package func migrate(_ settings: ServerSettings, logger: Logger) async throws -> [String] {
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
    func connected<Result: Sendable>(
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

extension ServerSettings {
    /// What root makes in the folder of another user, such as the package's, that user cannot use.
    ///
    /// - Throws: `CommandError` if this is root, and the data folder belongs to somebody else.
    fileprivate func requireOwner() throws {
        var status = stat()
        guard geteuid() == 0, stat(dataDirectory, &status) == 0, status.st_uid != 0 else { return }
        let user = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "'#\(status.st_uid)'"
        throw CommandError.refused(
            "the data folder \(dataDirectory) belongs to the user \(user), who could not use what root makes there: run "
                + "'sudo -u \(user) card-companion …'")
    }

    /// Whether there is no private database yet, and no other one is named.
    package var isNew: Bool {
        var status = stat()
        return databaseURL == nil && stat("\(dataDirectory)/postgres", &status) != 0 && errno == ENOENT
    }
}
