internal import CardCompanion
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore

extension HTTPServerBuilder {
    /// The limits of a head in HTTP/1.1. HTTP/2 has 16 KiB for all fields together (swift-nio-http2).
    private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)

    /// Connections over TLS, by HTTP/2 or HTTP/1.1, or without TLS by HTTP/1.1 only.
    ///
    /// - Parameter certificates: nil listens without TLS.
    static func connections(
        _ settings: HTTPSettings, _ certificates: TLSCertificates?, _ draining: Draining, _ admission: Admission,
        _ logger: Logger
    ) -> HTTPServerBuilder {
        let addressLimit = settings.addressConnections ?? settings.usualAddressConnections
        let connections = ConnectionQuota(
            of: "connections", limit: addressLimit, proxies: settings.proxies, logger: logger)
        // A stream of HTTP/2 costs what a connection of HTTP/1.1 costs: there can be as many of them again.
        let streams = ConnectionQuota(
            of: "HTTP/2 streams", limit: addressLimit, totalLimit: settings.maximumConnections,
            proxies: settings.proxies, logger: logger)
        let refusals = EarlyRefusal.Policy(
            admission: admission, origins: CrossOrigin(settings.origins),
            longestUnseen: .milliseconds(Int64(settings.idleTimeoutSeconds) * 500))
        let exchangeLimit = RequestPatience.exchangeLimit(databaseLimit: settings.databaseLimit)
        let idleTimeout = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
        return HTTPServerBuilder { responder in
            let http1 = UpgradableHTTP1Channel(
                base: HTTP1Channel(
                    responder: responder,
                    configuration: .init(
                        additionalChannelHandlers: [ConnectionGuard(draining), EarlyRefusal(refusals)],
                        idleTimeout: idleTimeout,
                        httpDecoderConfiguration: headLimits)))
            func watched(_ base: some ServerChildChannel) -> any ServerChildChannel {
                WatchedConnection(
                    base: base, quota: connections, idleTimeoutSeconds: settings.idleTimeoutSeconds,
                    exchangeLimit: exchangeLimit)
            }
            guard let certificates else { return watched(http1) }
            let http2 = HTTP2Channel(
                responder: { request, writer, stream in
                    // Nobody waits for a request that was taken back already.
                    guard let place = try await StreamGuard.place(of: stream) else { return }
                    defer { withExtendedLifetime(place) {} }
                    try await responder(request, writer, stream)
                },
                configuration: .init(
                    idleTimeout: .seconds(settings.idleTimeoutSeconds),
                    streamConfiguration: .init(
                        additionalChannelHandlers: [
                            StreamGuard(streams, draining, exchangeLimit: exchangeLimit), EarlyRefusal(refusals),
                        ],
                        idleTimeout: idleTimeout)))
            return watched(try NegotiatedChannel(certificates.configuration, http1: http1, http2: http2))
        }
    }
}
