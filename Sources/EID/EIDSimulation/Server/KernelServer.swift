internal import EIDInterface
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// The simulated kernel on `ws://localhost:PORT/eID-Kernel`. It listens on the loopback address only.
public struct KernelServer: Sendable {
    /// The port of TR-03124-1.
    public static let defaultPort = 24727
    /// How many fragments a command may have.
    static let fragmentLimit = 16

    private let host: KernelHost
    private let port: Int

    /// - Parameters:
    ///   - host: the kernel.
    ///   - port: 0 for any free one.
    public init(_ host: KernelHost, port: Int = defaultPort) {
        self.host = host
        self.port = port
    }

    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private typealias Exchange = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private enum Connection: Sendable {
        case kernel(Frames)
        case other(Exchange)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: called with the port when apps can connect.
    /// - Throws: if it cannot listen on the port.
    public func run(ready: @escaping @Sendable (Int) async -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try configure(channel) }
            }
        await ready(server.channel.localAddress?.port ?? port)
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    // A connection that fails ends only itself.
                    group.addTask { try? await serve(connection) }
                }
            }
            group.cancelAll()
        }
    }

    private func configure(_ channel: any Channel) throws -> EventLoopFuture<Connection> {
        let upgrader = NIOTypedWebSocketServerUpgrader<Connection>(
            maxFrameSize: SimulatedKernel.commandByteLimit,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeFutureWithTask { await refusal(of: head) }.flatMap { status in
                    guard let status else { return channel.eventLoop.makeSucceededFuture(Self.headers) }
                    return Self.refuse(status, channel).map { nil }
                }
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: Self.fragmentLimit,
                            maxAccumulatedFrameSize: SimulatedKernel.commandByteLimit))
                    return Connection.kernel(try Frames(wrappingChannelSynchronously: channel))
                }
            })
        let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Connection>(upgraders: [upgrader]) { channel in
            channel.eventLoop.makeCompletedFuture {
                Connection.other(try Exchange(wrappingChannelSynchronously: channel))
            }
        }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: .init(upgradeConfiguration: upgrade))
    }

    /// Why a request for the WebSocket is refused; nil if the app is connected.
    private func refusal(of head: HTTPRequestHead) async -> HTTPResponseStatus? {
        switch KernelRequest(head, host.scenario) {
        case .kernel: await host.take() ? nil : .tooManyRequests
        case .refused(let status): status
        case .status: .notFound
        }
    }

    /// Answers, and closes the connection. (An upgrade that fails without an answer leaves it open.)
    private static func refuse(_ status: HTTPResponseStatus, _ channel: any Channel) -> EventLoopFuture<Void> {
        channel.write(HTTPServerResponsePart.head(head(status, byteCount: 0)), promise: nil)
        return channel.writeAndFlush(HTTPServerResponsePart.end(nil)).flatMap { channel.close() }
    }

    private static func head(_ status: HTTPResponseStatus, byteCount: Int) -> HTTPResponseHead {
        var headers = headers
        headers.add(name: "Content-Length", value: String(byteCount))
        headers.add(name: "Connection", value: "close")
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    private static var headers: HTTPHeaders {
        let version = SimulatedKernel.version
        return [
            "Server": "\(version.name)/\(version.implementationVersion) "
                + "(\(version.specificationTitle)-1/\(version.specificationVersion))"
        ]
    }

    private func serve(_ connection: EventLoopFuture<Connection>) async throws {
        switch try await connection.get() {
        case .kernel(let frames): try await serve(frames)
        case .other(let exchange): try await answer(exchange)
        }
    }
}

// MARK: The WebSocket

extension KernelServer {
    private func serve(_ frames: Frames) async throws {
        let outputs = await host.outputs()
        // The next app finds the place free only after this one is gone.
        do {
            try await frames.executeThenClose { inbound, outbound in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await write(outputs, outbound) }
                    group.addTask { try await read(inbound, outbound) }
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch {
            await host.leave()
            throw error
        }
        await host.leave()
    }

    private func read(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async throws {
        for try await frame in inbound {
            switch frame.opcode {
            case .text, .binary: await host.receive(Array(frame.unmaskedData.readableBytesView))
            case .ping: try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
            case .connectionClose:
                return try await outbound.write(
                    WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData))
            default: break
            }
        }
    }

    private func write(
        _ outputs: AsyncStream<SimulatedKernel.Output>, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async throws {
        for await output in outputs {
            let content: ByteBuffer
            switch output {
            case .message(let message, let level):
                content = message.text(level: level).withBytes { ByteBuffer(bytes: $0) }
            case .text(let text): content = ByteBuffer(string: text)
            case .disconnect: return
            }
            try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: content))
        }
    }
}

// MARK: Other requests

extension KernelServer {
    private func answer(_ exchange: Exchange) async throws {
        try await exchange.executeThenClose { inbound, outbound in
            for try await part in inbound {
                guard case .head(let head) = part else { continue }
                let (status, body) = content(KernelRequest(head, host.scenario))
                try await outbound.write(.head(Self.head(status, byteCount: body.utf8.count)))
                if !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
                return try await outbound.write(.end(nil))
            }
        }
    }

    private func content(_ request: KernelRequest) -> (HTTPResponseStatus, String) {
        switch request {
        case .status(let json): (.ok, KernelRequest.statusPage(json: json))
        case .refused(let status): (status, "")
        // Without an upgrade there is nothing here.
        case .kernel: (.notFound, "")
        }
    }
}
