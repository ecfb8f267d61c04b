package import CardCompanion
internal import CardCompanionModel
package import CardCompanionStore
package import DocumentValidation
package import HTTPSignatures
package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore

/// How the server listens.
package struct HTTPSettings: Sendable {
    package var host: String
    /// 0 takes a free port.
    package var port: Int
    /// Nil listens without TLS: behind a proxy that terminates it, or on loopback.
    package var tls: TLSFiles?
    /// The most open connections.
    package var maximumConnections = 10_000
    package var idleTimeoutSeconds = 60
    /// The most open connections of one address (IPv6: one /64); nil for ``usualAddressConnections``.
    package var addressConnections: Int?
    /// How long a request waits for each answer of the database.
    package var databaseLimit = Duration.seconds(2)
    /// How many keypads and failed authentications an address (IPv6: a /64) can have.
    package var addressRate = TokenBucket.Rate(perSecond: 100, burst: 1_000)
    /// Proxies that are believed when they say whom a request comes from.
    package var proxies: [AddressRange] = []
    /// What sessions of document verification can take.
    package var documentSessions = DocumentSessionSettings()
    /// The names under which back-ends call the server. Without names they can only call from this machine.
    package var names: [Authority] = []
    /// Pages of these origins can call the apps' operations.
    package var origins: [WebOrigin] = []

    /// Without a setting, four addresses can take all connections at worst.
    package var usualAddressConnections: Int { min(1_000, max(1, maximumConnections / 4)) }

    package init(host: String, port: Int, tls: TLSFiles? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
    }
}

/// What the routes serve.
package struct ServiceParts: Sendable {
    let distribution: DistributionService
    let definition: DefinitionService
    let issuing: IssuingParts
    let admission: Admission
    let keys: ServerKeys
    let seals: SealMemory
    let store: Store
    let clock: ClockWatch
    let vault: VaultWatch
    let refusals: RefusalCounts
    let draining: Draining
    /// Nil in production.
    let added: (any AddedRoutes)?
    /// Nil if documents are not verified.
    let documents: (any DocumentValidationService)?

    package init(
        distribution: DistributionService, definition: DefinitionService, issuing: IssuingParts,
        admission: Admission, keys: ServerKeys, seals: SealMemory, store: Store, clock: ClockWatch, vault: VaultWatch,
        refusals: RefusalCounts,
        draining: Draining, added: (any AddedRoutes)? = nil,
        documents: (any DocumentValidationService)? = nil
    ) {
        self.distribution = distribution
        self.definition = definition
        self.issuing = issuing
        self.admission = admission
        self.keys = keys
        self.seals = seals
        self.store = store
        self.clock = clock
        self.vault = vault
        self.refusals = refusals
        self.draining = draining
        self.added = added
        self.documents = documents
    }
}

/// The HTTP server.
///
/// - Parameters:
///   - certificates: nil listens without TLS.
///   - onListening: gets the port when the server listens.
package func buildApplication(
    _ parts: ServiceParts, settings: HTTPSettings, certificates: TLSCertificates?, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    Application(
        router: router(parts, settings, logger),
        server: .connections(settings, certificates, parts.draining, parts.admission, logger),
        configuration: .init(
            address: .hostname(settings.host, port: settings.port),
            availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)),
        onServerRunning: { await onListening($0.localAddress?.port ?? settings.port) },
        logger: logger)
}

private func router(
    _ parts: ServiceParts, _ settings: HTTPSettings, _ logger: Logger
) -> Router<ServiceContext> {
    let audit = logger.auditTrail
    let callers = CallerLimits(settings.addressRate, proxies: settings.proxies, logger: logger)
    let documents = parts.documents.map {
        DocumentSessionRoutes(
            sessions: DocumentSessions(
                $0, settings.documentSessions, callers, proxies: settings.proxies, parts.draining, logger))
    }
    func addRoutes(to router: Router<ServiceContext>) {
        // Middleware applies to the routes that are added after it.
        router.add(middleware: VaultMiddleware(vault: parts.vault))
        PublicRoutes(
            keys: parts.keys, seals: parts.seals, store: parts.store, clock: parts.clock, draining: parts.draining
        ).add(to: router)
        parts.added?.add(to: router)
        router.add(middleware: ClockMiddleware(clock: parts.clock))
        DistributionRoutes(
            distribution: parts.distribution, callers: callers, refusals: parts.refusals, audit: audit,
            admission: parts.admission
        ).add(to: router)
        DefinitionRoutes(
            definition: parts.definition, callers: callers, refusals: parts.refusals, audit: audit,
            admission: parts.admission
        ).add(to: router)
        documents?.add(to: router)
        IssuerRoutes(
            parts: parts.issuing, names: ServerNames(names: settings.names), callers: callers, refusals: parts.refusals,
            requiresClientCertificate: settings.tls?.clientCAsPath != nil,
            scheme: settings.tls.map { _ in "https" }, draining: parts.draining, audit: audit,
            admission: parts.admission
        ).add(to: router)
    }
    let routes = Router(context: ServiceContext.self)
    addRoutes(to: routes)

    let router = Router(context: ServiceContext.self, options: [.autoGenerateHeadEndpoints])
    router.add(middleware: ServiceMiddleware(routes.routes, settings))
    addRoutes(to: router)
    return router
}
