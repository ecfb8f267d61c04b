internal import Administration
internal import CardCompanion
package import CardCompanionHTTP
internal import CardCompanionModel
internal import CardCompanionStore
internal import Logging
package import ServiceLifecycle

/// What a server for trials has beside one for production.
package struct TrialParts: Sendable {
    let routes: any AddedRoutes
    /// They stop before the server does.
    let services: [any Service]
    /// Gets the server's URL when it listens.
    let announce: @Sendable (String) -> Void

    package init(
        routes: any AddedRoutes, services: [any Service], announce: @escaping @Sendable (String) -> Void
    ) {
        self.routes = routes
        self.services = services
        self.announce = announce
    }
}

/// Makes the parts of a server for trials, when the vault was opened.
package typealias MakeTrialParts = @Sendable (ServerCore, ServerOperations) async throws -> TrialParts

/// The server itself: prepares what it needs, then serves.
struct Server: Service, CustomStringConvertible {
    // ServiceLifecycle logs the description. The default one would contain the database URL.
    let description = "server"
    let settings: ServerSettings
    let installation: Installation
    let certificates: TLSCertificates?
    let draining: Draining
    let maximumConnections: Int
    let manager: ServiceManager?
    /// Nil for production.
    let makeTrialParts: MakeTrialParts?

    /// How long requests can continue when the server stops.
    static let shutdownLimit = Duration.seconds(20)

    func run() async throws {
        try await installation.checkSchema()
        let core = try await ServerCore(settings, installation, isForTrials: makeTrialParts != nil)
        let operations = try ServerOperations(core)
        let trial = try await makeTrialParts?(core, operations)
        var services = try core.background(operations)
        if let certificates { services.append(certificates) }
        services += ServerMetrics.services(settings, of: installation, certificates)
        services.append(listener(core, operations, trial))
        services += trial?.services ?? []
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, logger: installation.logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
        try await operations.drawingThreads.shutDown()
    }

    private func listener(
        _ core: ServerCore, _ operations: ServerOperations, _ trial: TrialParts?
    ) -> any Service {
        var settings = settings.http
        settings.maximumConnections = maximumConnections
        let parts = ServiceParts(
            distribution: operations.distribution, definition: operations.definition, issuing: operations.issuing,
            admission: operations.admission,
            keys: core.keys, seals: core.seals.memory, store: installation.store, clock: core.clockWatch,
            vault: core.vaultWatch,
            refusals: operations.refusals, draining: draining, added: trial?.routes,
            documents: operations.documents)
        let application = buildApplication(
            parts, settings: settings, certificates: certificates, logger: installation.logger
        ) { [settings, manager, logger = installation.logger] port in
            let url = "\(settings.tls == nil ? "http" : "https")://\(settings.host):\(port)"
            logger.notice("Listening", metadata: ["url": "\(url)"])
            manager?.isReady(at: url)
            trial?.announce(url)
        }
        return Listener(application: application, address: settings.address)
    }
}
