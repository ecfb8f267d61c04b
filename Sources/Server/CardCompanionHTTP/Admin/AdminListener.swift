package import Hummingbird
internal import HummingbirdCore
package import Logging

/// Where those who operate the server read its metrics.
package struct AdminSettings: Sendable {
    package let host: String
    /// 0 takes a free port.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// A listener of its own for those who operate the server, without TLS and without secrets: `GET /metrics`, and the liveness.
package enum AdminListener {
    package static let metricsPath = "/metrics"

    /// The most open connections. A scraper needs one.
    static let connectionLimit = 32
    static let idleTimeoutSeconds = 60
    /// Prometheus' text format.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// - Parameters:
    ///   - metrics: the text that is served.
    ///   - onListening: gets the port when the listener is open.
    package static func application(
        _ settings: AdminSettings, logger: Logger, metrics: @escaping @Sendable () -> String,
        onListening: @escaping @Sendable (_ port: Int) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router(context: BasicRequestContext.self, options: [.autoGenerateHeadEndpoints])
        if let names = OwnNameMiddleware(host: settings.host) { router.add(middleware: names) }
        router.get(RouterPath(metricsPath)) { _, _ in
            Response(
                status: .ok, headers: [.contentType: contentType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics())))
        }
        router.get(RouterPath(PublicRoutes.livenessPath)) { _, _ in try PublicRoutes.healthy }
        let quota = ConnectionQuota(of: "connections for metrics", limit: connectionLimit, proxies: [], logger: logger)
        let channels = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(Draining())], idleTimeout: .seconds(Int64(idleTimeoutSeconds)))
        return Application(
            router: router,
            server: HTTPServerBuilder {
                WatchedConnection(
                    base: HTTP1Channel(responder: $0, configuration: channels), quota: quota,
                    idleTimeoutSeconds: idleTimeoutSeconds, exchangeLimit: RequestPatience.usualExchangeLimit)
            },
            configuration: .init(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: MaximumAvailableConnections(connectionLimit)),
            onServerRunning: { await onListening($0.localAddress?.port ?? settings.port) }, logger: logger)
    }
}
