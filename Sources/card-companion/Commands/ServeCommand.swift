import ArgumentParser
import CardCompanion
import CardCompanionHTTP
import CardCompanionStore
import CardCompanionWebhooks
import Cryptography
import EmbeddedPostgres
import Glibc
import KeyVault
import Logging
import PINImages
import ServiceLifecycle
import UnixSignals

struct ServeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            EXAMPLES
              card-companion serve --sandbox
              card-companion serve --http-host 0.0.0.0 --http-port 443 --http-tls-certificate chain.pem \\
                --http-tls-key key.pem --database-url 'postgresql://cards@db1,db2/cards?target_session_attrs=read-write'
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    /// How long requests can continue when the server stops.
    static let shutdownLimit = Duration.seconds(20)
    /// How long the connections to the database can then take to close.
    private static let disconnectLimit = Duration.seconds(12)

    @Flag(help: "Create a trial bank with keys, a certificate and cardholders, and print how to use it.")
    var sandbox = false

    func run() async throws {
        let settings = try await ServerSettings.read(self)
        let logger = Log.bootstrap(settings, forServer: true)
        do {
            try await run(settings, logger)
        } catch {
            guard settings.logsJSON, let refusal = CommandError.wrapping(error) as? CommandError else { throw error }
            // A program reads the log, and would not understand a line for people.
            logger.critical("The server does not run", metadata: ["reason": "\(refusal.message)"])
            throw ExitCode(refusal.status)
        }
    }

    private func run(_ settings: ServerSettings, _ logger: Logger) async throws {
        let missing = try SelfTest.run()
        if let user = settings.serverUser { try RootPrivileges.drop(to: user, dataDirectory: settings.dataDirectory) }
        let connections = try Descriptors.raised().connections(
            configured: settings.httpConnections, database: settings.databaseConnections)
        ServerMetrics.start(settings)
        if settings.httpConnections == nil, connections < Descriptors.usualConnections {
            logger.warning(
                "The limit of open files allows fewer connections than usual",
                metadata: ["connections": "\(connections)"])
        }
        for algorithm in missing {
            logger.warning(
                "OpenSSL lacks an algorithm, and the server goes on without it",
                metadata: ["off": "\(algorithm.rawValue)"])
        }
        if settings.http.names.isEmpty {
            logger.warning("Back-ends' calls are served to this machine only, because http.names is not set")
        }
        // A terminal that is closed sends it. The server goes on: it stops by SIGTERM or SIGINT only. With TLS, it reads its
        // certificate again.
        signal(SIGHUP, SIG_IGN)
        let certificates = try settings.http.tls.map { (files) throws(TLSFileProblem) in
            try TLSCertificates(files, logger: logger)
        }
        let database = try await Database.open(settings, logger: logger)
        do {
            try await database.prepare(settings, logger: logger)
            try await serve(database, settings, certificates, connections: connections, logger: logger)
        } catch {
            await database.close()
            throw error
        }
    }

    private func serve(
        _ database: Database, _ settings: ServerSettings, _ certificates: TLSCertificates?, connections: Int,
        logger: Logger
    ) async throws {
        let store = database.store(at: database.url, settings, logger: logger)
        let installation = Installation(settings, store, logger: logger)
        let draining = Draining()
        // They stop in the reverse order: the database is the last.
        var services: [any Service] = [
            store,
            Server(
                installation: installation, certificates: certificates, draining: draining,
                maximumConnections: connections, isSandbox: sandbox),
        ]
        if let embedded = database.embedded { services.insert(EmbeddedDatabase(embedded: embedded), at: 0) }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigint], logger: logger)
        configuration.services.append(
            .init(
                service: Drain(draining: draining, seconds: settings.httpDrainSeconds, logger: logger),
                successTerminationBehavior: .gracefullyShutdownGroup))
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit + Self.disconnectLimit
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// The private database. It is restarted if it dies, and stops with the server.
private struct EmbeddedDatabase: Service, CustomStringConvertible {
    let description = "private PostgreSQL"
    let embedded: EmbeddedPostgres

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await embedded.run() }
    }
}

/// The server itself: prepares what it needs, then serves.
private struct Server: Service, CustomStringConvertible {
    // ServiceLifecycle logs the description. The default one would contain the database URL.
    let description = "server"
    let installation: Installation
    let certificates: TLSCertificates?
    let draining: Draining
    let maximumConnections: Int
    let isSandbox: Bool

    func run() async throws {
        try await installation.checkSchema()
        let (store, clock, logger) = (installation.store, installation.clock, installation.logger)
        let clockWatch = ClockWatch(
            store: store, clock: clock, limitSeconds: installation.settings.clockLimitSeconds, logger: logger)
        try await clockWatch.compare()
        let vault = installation.settings.vault.vault(forServer: true)
        let dataKeys = installation.dataKeys(of: vault)
        let keyring = Keyring(nil)
        let lookUps = TokenBucket.Rate.lookUps(perSecond: installation.settings.lookUpsPerSecond)
        let keys = ServerKeys(store: store, keyring: keyring, clock: clock, lookUps: lookUps)
        let threads = DrawingThreads(count: installation.settings.drawingThreads)
        let drawing = DrawingPool(threads, threadCount: installation.settings.drawingThreads)
        let approvals = Approvals(store: store, keyring: keyring, logger: logger)
        let banks = BankDirectory(
            store: store, keyring: keyring, approvals: approvals, clock: clock, lookUps: lookUps)
        let vaultWatch = VaultWatch(
            dataKeys: dataKeys, keyring: keyring, serverKeys: keys, banks: banks,
            approvals: approvals, clock: clock, grace: .seconds(installation.settings.vault.graceSeconds),
            warnsOfRisk: !isSandbox,
            logger: logger)
        try await vaultWatch.openAtStart()
        let gate = CardholderGate(limit: installation.settings.cardholderRequests)
        let distribution = DistributionService(
            store: store, keyring: keyring, banks: banks, renderer: try PINImageRenderer(), drawing: drawing,
            gate: gate)
        let definition = DefinitionService(
            store: store, keyring: keyring, serverKeys: keys, banks: banks, gate: gate)
        if isSandbox, !vaultWatch.isOpen {
            throw CommandError.refused("--sandbox needs a vault that opens without a person: set vault.pin.file")
        }
        let sandbox = isSandbox ? try await Sandbox.prepare(installation, keyring: keyring, keys: keys) : nil
        let refusals = RefusalCounts(store: store, clock: clock, logger: logger)
        let identityChecks = IdentityChecks(store: store, keyring: keyring, clock: clock)
        let issuing = IssuingParts(
            authentication: IssuerAuthentication(
                store: store, keyring: keyring, approvals: approvals, clock: clock, lookUps: lookUps),
            service: IssuerService(
                store: store, keyring: keyring, serverKeys: keys, approvals: approvals, clock: clock),
            idempotentCalls: IdempotentCalls(store: store, keyring: keyring, clock: clock),
            events: EventFeed(store: store, keys: keys, clock: clock),
            identityChecks: identityChecks)
        let results = try ResultPoster(
            keys: keys, clock: clock, caPath: installation.settings.webhooksCAPath)
        let documents = DocumentService(
            store: store, keyring: keyring, banks: banks, approvals: approvals, results: results,
            databaseLimit: installation.settings.http.databaseLimit, lookUps: lookUps, clock: clock,
            clockWatch: clockWatch, logger: logger)
        var settings = installation.settings.http
        settings.maximumConnections = maximumConnections
        let application = buildApplication(
            ServiceParts(
                distribution: distribution, definition: definition, issuing: issuing, keys: keys, store: store,
                clock: clockWatch, vault: vaultWatch, refusals: refusals, draining: draining,
                sandbox: try sandbox.map {
                    try SandboxBank($0, installation, identityChecks, SandboxPhone(documents: documents))
                },
                documents: documents),
            settings: settings, certificates: certificates, logger: logger
        ) { [settings] port in
            let url = "\(settings.tls == nil ? "http" : "https")://\(settings.host):\(port)"
            logger.notice("Listening", metadata: ["url": "\(url)"])
            if let sandbox { Terminal.showAtOnce(sandbox.instructions(url: url)) }
        }
        let housekeeping = Housekeeping(
            store: store, clock: clock, clockWatch: clockWatch,
            intervalSeconds: installation.settings.housekeepingIntervalSeconds,
            logger: logger)
        let refresh = KeyRefresh(dataKeys: dataKeys, keyring: keyring, vault: vaultWatch, clock: clock, logger: logger)
        let resealing = Resealing(
            store: store, keyring: keyring, clock: clock,
            intervalSeconds: installation.settings.housekeepingIntervalSeconds, logger: logger)
        let webhooks = try WebhookDispatcher(
            store: store, approvals: approvals, keys: keys, clock: clock, clockWatch: clockWatch,
            caPath: installation.settings.webhooksCAPath, logger: logger)
        var services: [any Service] = [
            vaultWatch, refusals, housekeeping, refresh, resealing, clockWatch, SecureHeapWatch(logger: logger),
            webhooks, results,
        ]
        if let token = vault as? TokenVault {
            services.append(
                UnsealSocket(
                    path: installation.settings.vault.socket, vault: token, watch: vaultWatch, logger: logger))
        }
        let sealKeys = SealKeys(store: store, serverKeys: keys, keyring: keyring, vault: vault, clock: clock)
        services.append(
            AuditSealing(
                seals: AuditSeals(store: store, keys: sealKeys, clock: clock), vault: vaultWatch, logger: logger))
        if let certificates { services.append(certificates) }
        services += ServerMetrics.services(of: installation, certificates)
        services.append(Listener(application: application, setting: "http", host: settings.host, port: settings.port))
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, logger: logger)
        configuration.maximumGracefulShutdownDuration = ServeCommand.shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
        try await threads.shutDown()
    }
}
