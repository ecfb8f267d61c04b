public import EIDInterface
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// The way to a running AusweisApp on Linux and macOS (document 000, section 4.1), with SwiftNIO. Its buffers of what was
/// sent are not overwritten.
public struct WebSocketTransport: KernelTransport {
    /// The port of TR-03124-1.
    public static let defaultPort = 24727
    /// How long connecting may take, and then the answer to the request for a WebSocket, in seconds.
    static let connectSeconds: Int64 = 5
    /// How many fragments one message may have.
    static let fragmentLimit = 64

    private let host: String
    private let port: Int
    private let userAgent: String

    /// - Parameters:
    ///   - host: this machine.
    ///   - port: where the AusweisApp listens.
    ///   - userAgent: what the AusweisApp shows its user as the app that is connected.
    public init(host: String = "localhost", port: Int = defaultPort, userAgent: String) {
        self.host = host
        self.port = port
        self.userAgent = userAgent
    }

    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    private enum Upgrade: Sendable {
        case open(Frames)
        case refused(any Channel, EventLoopFuture<Int>)
    }

    /// Connects, and closes the connection when `body` ends.
    public func withConnection(_ body: @escaping @Sendable (KernelConnection) async throws -> Void) async throws {
        switch try await upgrade() {
        case .refused(let channel, let status):
            let status = try? await status.get()
            try? await channel.close()
            throw status.map { TransportError.refused(status: $0) } ?? .unreachable
        case .open(let frames):
            try await frames.executeThenClose { inbound, outbound in
                try await Self.exchange(inbound, outbound, body)
            }
        }
    }

    private func upgrade() async throws(TransportError) -> Upgrade {
        do {
            let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(Self.connectSeconds))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try configure(channel) }
                }
            return try await upgrade.get()
        } catch {
            throw .unreachable
        }
    }

    private func configure(_ channel: any Channel) throws -> EventLoopFuture<Upgrade> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(
            maxFrameSize: Message.byteLimit, enableAutomaticErrorHandling: false
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: Self.fragmentLimit,
                        maxAccumulatedFrameSize: Message.byteLimit))
                return Upgrade.open(try Frames(wrappingChannelSynchronously: channel))
            }
        }
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: "\(host):\(port)")
        headers.add(name: "User-Agent", value: userAgent)
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/eID-Kernel", headers: headers)
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Upgrade>(
            upgradeRequestHead: request, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                    let status = channel.eventLoop.makePromise(of: Int.self)
                    try channel.pipeline.syncOperations.addHandler(StatusReader(status))
                    return Upgrade.refused(channel, status.futureResult)
                }
            })
        let limit = channel.eventLoop.scheduleTask(in: .seconds(Self.connectSeconds)) { channel.close(promise: nil) }
        let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
        upgrade.whenComplete { _ in limit.cancel() }
        return upgrade
    }

    private static func exchange(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ body: @escaping @Sendable (KernelConnection) async throws -> Void
    ) async throws {
        let (messages, continuation) = AsyncThrowingStream.makeStream(
            of: Data.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingOldest(KernelConnection.waitingMessageLimit))
        let connection = KernelConnection(messages: messages) { text in
            let buffer = text.withBytes { ByteBuffer(bytes: $0) }
            try await outbound.write(frame(.text, buffer))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await read(inbound, outbound, continuation) }
            defer { group.cancelAll() }
            try await body(connection)
            try? await outbound.write(frame(.connectionClose, ByteBuffer(integer: UInt16(1000))))
        }
    }

    /// Passes messages on until the AusweisApp closes the connection, or sends what it must not.
    private static func read(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ messages: AsyncThrowingStream<Data, any Error>.Continuation
    ) async {
        do {
            for try await received in inbound {
                switch received.opcode {
                case .text, .binary:
                    if case .dropped = messages.yield(Data(received.unmaskedData.readableBytesView)) {
                        return messages.finish(throwing: TransportError.protocolError)
                    }
                case .ping: try await outbound.write(frame(.pong, received.unmaskedData))
                case .connectionClose: return messages.finish()
                default: break
                }
            }
            messages.finish()
        } catch is NIOWebSocketError {
            messages.finish(throwing: TransportError.protocolError)
        } catch {
            messages.finish(throwing: TransportError.closed)
        }
    }

    /// What a client sends is masked (RFC 6455 section 5.3).
    private static func frame(_ opcode: WebSocketOpcode, _ content: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: content)
    }
}

/// Reads the status of an answer that does not open a WebSocket.
private final class StatusReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let status: EventLoopPromise<Int>

    init(_ status: EventLoopPromise<Int>) {
        self.status = status
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = Self.unwrapInboundIn(data) { status.succeed(Int(head.status.code)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        status.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        status.fail(ChannelError.eof)
    }
}
