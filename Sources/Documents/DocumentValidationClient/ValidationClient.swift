package import DocumentValidationSimulation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import NIOSSL
internal import NIOWebSocket

/// Opens the WebSocket of document 003, and lets a simulated app speak over it until the server closes it. For trials and tests.
package struct ValidationClient: Sendable {
    package enum Failure: Error, Equatable {
        /// The server did not open the WebSocket: its HTTP status.
        case refused(status: Int)
        /// The connection ended before the server closed the WebSocket.
        case lost
    }

    /// How a session went.
    package struct Outcome: Sendable {
        /// The app after the session: what it has got, and what the text CLOSE said.
        package let connector: SimulatedConnector
        /// What the close frame said.
        package let closeFrame: SimulatedConnector.End
    }

    private enum Opening: Sendable {
        case open(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>)
        case refused(NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>)
    }

    /// The longest message of a server: a result with pictures, in base64.
    private static let frameByteLimit = 16 << 20
    /// Of RFC 6455 section 7.1.5: a close frame without a code.
    private static let noCode = 1005

    private let address: ServerAddress
    private let tls: TLSConfiguration
    private let fields: [(String, String)]

    /// - Parameters:
    ///   - roots: whom to trust, if the address is `wss`.
    ///   - fields: further fields of the request.
    package init(_ address: ServerAddress, roots: NIOSSLTrustRoots = .default, fields: [(String, String)] = []) {
        self.address = address
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        tls.applicationProtocols = ["http/1.1"]
        self.tls = tls
        self.fields = fields
    }

    /// Speaks until the server closes.
    ///
    /// - Parameter pause: is called before the app answers a message. It gets the app with what it has received.
    /// - Throws: ``Failure``; errors of the connection and of TLS; those of `pause`.
    package func run(
        _ connector: SimulatedConnector, pause: @escaping @Sendable (SimulatedConnector) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        switch try await open() {
        case .refused(let channel): throw Failure.refused(status: try await status(channel))
        case .open(let channel):
            return try await channel.executeThenClose { inbound, outbound in
                try await speak(connector, inbound, outbound, pause)
            }
        }
    }

    private func speak(
        _ connector: SimulatedConnector, _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ pause: @Sendable (SimulatedConnector) async throws -> Void
    ) async throws -> Outcome {
        var connector = connector
        for message in connector.start() { try await outbound.write(Self.frame(message)) }
        for try await frame in inbound {
            var data = frame.unmaskedData
            let bytes = Array(data.readableBytesView)
            var answers: [SimulatedConnector.Message] = []
            switch frame.opcode {
            case .text: answers = try connector.receive(text: bytes)
            case .binary: answers = connector.receive(binary: bytes)
            case .ping: try await outbound.write(Self.frame(.pong, bytes))
            case .connectionClose:
                let code = data.readInteger(as: UInt16.self).map { Int($0) } ?? Self.noCode
                // The server waits for this only so long, and may have closed the connection.
                try? await outbound.write(Self.frame(.connectionClose, Array(bytes.prefix(2))))
                return Outcome(
                    connector: connector, closeFrame: .init(code: code, reason: String(buffer: data)))
            default: break
            }
            if !answers.isEmpty { try await pause(connector) }
            for answer in answers { try await outbound.write(Self.frame(answer)) }
        }
        throw Failure.lost
    }

    private static func frame(_ message: SimulatedConnector.Message) -> WebSocketFrame {
        switch message {
        case .text(let bytes): frame(.text, bytes)
        case .binary(let bytes): frame(.binary, bytes)
        }
    }

    private static func frame(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: bytes))
    }
}

// MARK: The opening

extension ValidationClient {
    private func open() async throws -> Opening {
        let context = address.isSecure ? try NIOSSLContext(configuration: tls) : nil
        let opening: EventLoopFuture<Opening> = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        // A certificate's IP address is compared without a name of the server (SNI).
                        let name = address.isIPAddress ? nil : address.host
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: .init(upgradeConfiguration: upgrade))
                }
            }
        return try await opening.get()
    }

    private var upgrade: NIOTypedHTTPClientUpgradeConfiguration<Opening> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Opening>(maxFrameSize: Self.frameByteLimit) { channel, _ in
            channel.eventLoop.makeCompletedFuture { .open(try NIOAsyncChannel(wrappingChannelSynchronously: channel)) }
        }
        return NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(
                version: .http1_1, method: .GET, uri: ServerAddress.path,
                headers: HTTPHeaders([("Host", address.authority)] + fields)),
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                    .refused(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
            })
    }

    private func status(
        _ channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>
    ) async throws -> Int {
        try await channel.executeThenClose { inbound, _ in
            for try await part in inbound {
                if case .head(let head) = part { return Int(head.status.code) }
            }
            throw Failure.lost
        }
    }
}
