internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Tells the watch of a connection of HTTP/1.1 where its requests begin and end, so that it closes the connection of a client that
/// is too slow. While the server is about to stop, it ends the connection after an answer. One for each connection.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// An import that is being read has an authenticated caller, so it can take longer. Sent down the pipeline by its route.
    struct ImportAdmitted: Sendable {}

    private let draining: Draining
    private var watch: ConnectionWatch?
    private var openRequests: Draining.OpenRequests
    /// Whether the answer that is being written is the last one.
    private var isLastAnswer = false
    /// Whether the last request has come: after one that asks for another protocol, NIOHTTP1 reads no further request.
    private var lastRequestHasCome = false

    init(_ draining: Draining) {
        self.draining = draining
        openRequests = draining.openRequests()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            watch = try context.pipeline.syncOperations.handler(type: ConnectionWatch.self)
            watch?.serialize()
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        openRequests.endAll()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            openRequests.begin()
            lastRequestHasCome = Self.asksForUpgrade(head.headerFields)
            watch?.patience.receiveHead(at: .now)
        case .body(let bytes): watch?.patience.receiveBody(byteCount: bytes.readableBytes)
        case .end: watch?.patience.receiveEnd()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where endsConnection(head):
            head.headerFields[.connection] = head.headerFields[.connection].map { "\($0), close" } ?? "close"
            isLastAnswer = true
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            watch?.patience.finishAnswer(at: .now)
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            let isLast = isLastAnswer
            sent.futureResult.assumeIsolated().whenSuccess { [self] in
                openRequests.end()
                watch?.patience.answer(at: .now)
                if isLast { context.close(promise: nil) }
            }
            context.write(data, promise: sent)
        default: context.write(data, promise: promise)
        }
    }

    private func endsConnection(_ head: HTTPResponse) -> Bool {
        guard head.status.kind != .informational else { return false }
        return draining.isUnderWay || lastRequestHasCome && openRequests.count == 1
    }

    private static func asksForUpgrade(_ fields: HTTPFields) -> Bool {
        fields[.upgrade] != nil && WebSocketHandshake.has("upgrade", in: fields[values: .connection])
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ImportAdmitted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        watch?.patience.admitImport(at: .now)
        promise?.succeed()
    }
}
