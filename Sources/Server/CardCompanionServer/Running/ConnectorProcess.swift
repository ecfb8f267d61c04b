internal import Administration
package import CardCompanionForwarding
internal import CardCompanionStore
internal import Foundation
internal import Glibc
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The process of a bank's connector. It has no key: it reads what waits, and reports what the bank's program says.
package struct ConnectorProcess {
    /// One for what is due, one for what is reported.
    private static let databaseConnections = 2

    /// Runs a connector until SIGTERM or SIGINT.
    ///
    /// - Throws: ``CommandError``.
    package static func run(_ options: some SettingOptions, connector: ConnectorSettings) async throws {
        try requireProgram(connector.program)
        var connector = connector
        connector.environment = programEnvironment()
        // A program that has closed its input must not end the connector.
        signal(SIGPIPE, SIG_IGN)
        try await Database.opened(options, logsAsServer: true) { [connector] database, settings, logger in
            try await database.prepare(settings, logger: logger)
            try await database.connected(to: database.url, settings, logger: logger) { store in
                do {
                    try await Installation(settings, store, logger: logger).checkSchema()
                } catch SchemaError.noAccess {
                    throw CommandError.configuration(
                        "the database role has no access to the schema: make it a member of card_companion_forward, and let the owner "
                            + "of the schema run 'card-companion migrate' once")
                }
                guard try await store.hasBank(id: connector.bankId) else {
                    throw CommandError.notFound("there is no bank '\(connector.bankId)'")
                }
            }
            try await serve(connector, database, settings, logger)
        }
    }

    /// What the bank's program may know of the environment: no setting, and nothing that libpq reads, which can have a password.
    private static func programEnvironment() -> [String: String] {
        let settings = Set(Setting.all.map(\.environmentName) + [SettingsReader.fileEnvironmentName])
        return ProcessInfo.processInfo.environment.filter { !settings.contains($0.key) && !$0.key.hasPrefix("PG") }
    }

    private static func requireProgram(_ path: String) throws {
        guard path.hasPrefix("/") else {
            throw CommandError.badInput("the bank's program must be an absolute path, and '\(path)' is none")
        }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError.badInput("the bank's program \(path) is not a file")
        }
        guard access(path, X_OK) == 0 else {
            throw CommandError.badInput("the bank's program \(path) cannot be run: \(String(cString: strerror(errno)))")
        }
    }

    private static func serve(
        _ connector: ConnectorSettings, _ database: Database, _ settings: ServerSettings, _ logger: Logger
    ) async throws {
        let store = database.store(at: database.url, settings, connections: databaseConnections, logger: logger)
        // They stop in the reverse order: the database is the last.
        var services: [any Service] = [store, Connector(settings: connector, store: store, logger: logger)]
        if let embedded = database.embedded { services.insert(EmbeddedDatabase(embedded: embedded), at: 0) }
        try await ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }
}
