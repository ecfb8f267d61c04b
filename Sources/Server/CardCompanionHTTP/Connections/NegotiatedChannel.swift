internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// TLS, and then HTTP/2 or HTTP/1.1, which the client chooses (ALPN, RFC 7301). A client that chooses nothing gets HTTP/1.1.
struct NegotiatedChannel: ServerChildChannel {
    enum Version: Sendable {
        case http1(UpgradableHTTP1Channel.Value)
        case http2(HTTP2Channel.Value)
    }

    struct Value: ServerChildChannelValue {
        let version: EventLoopFuture<Version>
        let channel: any Channel
    }

    private static let http2Name = "h2"
    /// What the server speaks, and what it prefers first.
    private static let protocols = [http2Name, "http/1.1"]

    private let tls: NIOSSLContext
    private let http1: UpgradableHTTP1Channel
    private let http2: HTTP2Channel

    /// - Throws: `NIOSSLError` if the configuration cannot be used.
    init(_ configuration: TLSConfiguration, http1: UpgradableHTTP1Channel, http2: HTTP2Channel) throws {
        var configuration = configuration
        configuration.applicationProtocols = Self.protocols
        tls = try NIOSSLContext(configuration: configuration)
        self.http1 = http1
        self.http2 = http2
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Version> { result in
                guard case .negotiated(Self.http2Name) = result else {
                    return http1.setup(channel: channel, logger: logger).map { .http1($0) }
                }
                return setupHTTP2(channel, logger)
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
            try pipeline.addHandler(negotiation)
            return Value(version: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.version.get() {
            case .http1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch {
            // The handshake has failed, or the client has gone: the connection is closed.
            logger.debug("A connection ended during its TLS handshake", metadata: ["error": "\(error)"])
        }
    }

    private func setupHTTP2(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Version> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.handler(type: ConnectionWatch.self).multiplex()
        }.flatMap { http2.setup(channel: channel, logger: logger).map { .http2($0) } }
    }
}

extension Channel {
    /// The connection itself. A request of HTTP/2 comes on a channel of its own, whose parent is the connection; the parent of a
    /// connection is the listener.
    var connection: any Channel {
        guard let parent, parent.parent != nil else { return self }
        return parent
    }
}
