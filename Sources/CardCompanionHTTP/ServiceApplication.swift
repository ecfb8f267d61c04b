public import CardCompanion
internal import CardCompanionAPI
public import CardCompanionStore
internal import HTTPTypes
public import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
public import Logging
internal import NIOCore
internal import NIOSSL

/// How the server listens.
public struct HTTPSettings: Sendable {
    /// The PEM files that TLS needs.
    public struct TLSFiles: Sendable {
        /// The server's certificate, and behind it what leads to a root.
        public let certificateChainPath: String
        /// The private key of the certificate.
        public let privateKeyPath: String
        /// The CAs of the certificates that banks' back-ends are to show; nil asks for none.
        public let clientCAsPath: String?

        /// See the members.
        public init(certificateChainPath: String, privateKeyPath: String, clientCAsPath: String? = nil) {
            self.certificateChainPath = certificateChainPath
            self.privateKeyPath = privateKeyPath
            self.clientCAsPath = clientCAsPath
        }
    }

    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// Nil listens without TLS: behind a proxy that has it, or for trying on loopback.
    public var tls: TLSFiles?
    /// How many connections may be open.
    public var maximumConnections = 10_000
    /// How long a connection may say nothing.
    public var idleTimeoutSeconds = 60

    /// See the members.
    public init(host: String, port: Int, tls: TLSFiles? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
    }
}

/// What the routes serve.
public struct ServiceParts: Sendable {
    let distribution: PINDistribution
    let definition: PINDefinition
    let issuing: IssuingParts
    let keys: ServerKeys
    let store: Store

    /// See the members.
    public init(
        distribution: PINDistribution, definition: PINDefinition, issuing: IssuingParts, keys: ServerKeys, store: Store
    ) {
        self.distribution = distribution
        self.definition = definition
        self.issuing = issuing
        self.keys = keys
        self.store = store
    }
}

/// The HTTP server, the same for `serve` and for tests.
///
/// - Parameter onListening: is told the port once the server listens.
public func buildApplication(
    _ parts: ServiceParts, settings: HTTPSettings, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    var audit = logger
    audit[metadataKey: "trail"] = "audit"
    let http = HTTPServerBuilder.http1(
        configuration: .init(
            idleTimeout: .seconds(Int64(settings.idleTimeoutSeconds)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)))
    return Application(
        router: router(parts, settings, audit: audit),
        server: try settings.tls.map { try .tls(http, tlsConfiguration: $0.configuration()) } ?? http,
        configuration: .init(
            address: .hostname(settings.host, port: settings.port),
            availableConnectionsDelegate: MaximumAvailableConnections(settings.maximumConnections)),
        onServerRunning: { await onListening($0.localAddress?.port ?? settings.port) },
        logger: logger)
}

private func router(
    _ parts: ServiceParts, _ settings: HTTPSettings, audit: Logger
) -> Router<ServiceContext> {
    let router = Router(context: ServiceContext.self, options: [.autoGenerateHeadEndpoints])
    router.addMiddleware {
        AccessLogMiddleware()
        ProblemMiddleware(methods: methods, issuerMethods: IssuerRoutes.methods)
    }
    DistributionRoutes(distribution: parts.distribution, audit: audit).add(to: router)
    DefinitionRoutes(definition: parts.definition, audit: audit).add(to: router)
    IssuerRoutes(parts: parts.issuing, asksClientCertificate: settings.tls?.clientCAsPath != nil, audit: audit)
        .add(to: router)
    PublicRoutes(keys: parts.keys, store: parts.store).add(to: router)
    return router
}

private let methods: [String: [HTTPRequest.Method]] = [
    APIPath.captcha: [.post], APIPath.notify: [.post], APIPath.tokenCaptcha: [.post], APIPath.tokenNotify: [.post],
    APIPath.keypadCoordinates: [.post], APIPath.definePIN: [.post], APIPath.definePINToken: [.post],
    APIPath.definePINIndexes: [.post], APIPath.keySet: [.get, .head], PublicRoutes.openAPIPath: [.get, .head],
    PublicRoutes.livenessPath: [.get, .head], PublicRoutes.readinessPath: [.get, .head],
]

extension HTTPSettings.TLSFiles {
    /// TLS 1.2 or later (protocol, section 1).
    func configuration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificateChainPath).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKeyPath, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        if let clientCAsPath {
            // Apps show none: whether one is needed is for the routes to say.
            configuration.trustRoots = .file(clientCAsPath)
            configuration.certificateVerification = .optionalVerification
        }
        return configuration
    }
}
