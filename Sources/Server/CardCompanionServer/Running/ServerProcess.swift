internal import Administration
internal import ArgumentParser
internal import CardCompanion
internal import CardCompanionHTTP
internal import Cryptography
internal import EmbeddedPostgres
internal import Glibc
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The process of a server: its user, its files, its database, and how it stops.
package struct ServerProcess {
    private let settings: ServerSettings
    private let logger: Logger
    private let makeTrialParts: MakeTrialParts?
    private let manager = ServiceManager.ofThisProcess()

    /// How long the connections to the database can take to close, after the requests.
    private static let disconnectLimit = Duration.seconds(12)

    /// Runs a server until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - options: the settings from the command line.
    ///   - makeTrialParts: nil for production.
    /// - Throws: ``CommandError``, or `ExitCode` after a line of the log if that has JSON lines.
    package static func run(_ options: some SettingOptions, makeTrialParts: MakeTrialParts? = nil) async throws {
        let settings = try await ServerSettings.read(options)
        let logger = Log.bootstrap(settings, forServer: true)
        do {
            try await ServerProcess(settings: settings, logger: logger, makeTrialParts: makeTrialParts).run()
        } catch {
            guard settings.logsJSON, let refusal = CommandError.wrapping(error) as? CommandError else { throw error }
            // A program reads the log, and would not understand a line for people.
            logger.critical("The server cannot run", metadata: ["reason": "\(refusal.message)"])
            throw ExitCode(refusal.status)
        }
    }

    private func run() async throws {
        let missing = try SelfTest.run()
        if let user = settings.serverUser { try RootPrivileges.drop(to: user, dataDirectory: settings.dataDirectory) }
        // Before anything is started, and long before the listeners are.
        for address in settings.addresses {
            if let problem = address.problem() { throw address.error(problem) }
        }
        let openFiles = try Descriptors.raised().connections(
            configured: settings.httpConnections, database: settings.databaseConnections)
        let memory = MemoryLimit.current()
        let connections = memory?.connections(settings, atMost: openFiles) ?? openFiles
        ServerMetrics.start(settings)
        warn(missing)
        warn(connections, openFiles, memory)
        // A terminal that is closed sends it. The server goes on: it stops by SIGTERM or SIGINT only. With TLS, it reads its
        // certificate again.
        signal(SIGHUP, SIG_IGN)
        let certificates = try settings.http.tls.map { (files) throws(TLSFileProblem) in
            try TLSCertificates(files, clock: .system, logger: logger)
        }
        let database = try await Database.open(settings, logger: logger)
        do {
            try await database.prepare(settings, logger: logger)
            try await serve(database, certificates, connections: connections)
        } catch {
            await database.close()
            throw error
        }
    }

    private func warn(_ connections: Int, _ openFiles: Int, _ memory: MemoryLimit?) {
        if settings.httpConnections == nil, openFiles < Descriptors.usualConnections {
            logger.warning(
                "The limit of open files allows fewer connections than usual",
                metadata: ["connections": "\(openFiles)"])
        }
        guard let memory else { return }
        let limit: Logger.Metadata = ["connections": "\(connections)", "memoryMiB": "\(memory.mebibytes)"]
        if memory.isTooLow(for: connections, settings) {
            logger.warning(
                "The memory limit is too low for so many connections: the system can end this server. See docs/operations.md",
                metadata: limit)
        } else if connections < openFiles {
            logger.notice("The memory limit allows fewer connections than usual", metadata: limit)
        }
    }

    private func warn(_ missing: [SelfTest.Dispensable]) {
        for algorithm in missing {
            logger.warning(
                "OpenSSL lacks an algorithm, and the server continues without it",
                metadata: ["off": "\(algorithm.rawValue)"])
        }
        if settings.http.names.isEmpty {
            logger.warning("Back-ends' calls are served to this machine only, because http.names is not set")
        }
    }

    private func serve(_ database: Database, _ certificates: TLSCertificates?, connections: Int) async throws {
        let store = database.store(at: database.url, settings, logger: logger)
        let draining = Draining()
        // They stop in the reverse order: the database is the last.
        var services: [any Service] = [
            store,
            Server(
                settings: settings, installation: Installation(settings, store, logger: logger),
                certificates: certificates, draining: draining, maximumConnections: connections,
                manager: manager, makeTrialParts: makeTrialParts),
        ]
        if let embedded = database.embedded { services.insert(EmbeddedDatabase(embedded: embedded), at: 0) }
        if let manager, let limit = manager.watchdogLimit {
            services.insert(Watchdog(manager: manager, limit: limit), at: 0)
        }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigint], logger: logger)
        configuration.services.append(
            .init(
                service: Drain(
                    draining: draining, seconds: settings.httpDrainSeconds, manager: manager, logger: logger),
                successTerminationBehavior: .gracefullyShutdownGroup))
        configuration.maximumGracefulShutdownDuration = Server.shutdownLimit + Self.disconnectLimit
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// The private database. It is restarted if it dies, and stops with this process.
struct EmbeddedDatabase: Service, CustomStringConvertible {
    let description = "private PostgreSQL"
    let embedded: EmbeddedPostgres

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await embedded.run() }
    }
}
