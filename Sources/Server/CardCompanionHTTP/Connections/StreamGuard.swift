internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Resets a stream of HTTP/2, which is one request, if its client is too slow, or if its address has too many open. While the
/// server is about to stop, the client is asked after an answer to use another connection. One for each stream.
final class StreamGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let quota: ConnectionQuota
    private let draining: Draining
    private var watch: ConnectionWatch?
    /// A request keeps it until it was served, also if its stream is reset before.
    private(set) var place: ConnectionQuota.Place?
    private var openRequests: Draining.OpenRequests
    private let timer = ClosingTimer()
    private var patience: RequestPatience {
        didSet { timer.deadline = patience.deadline }
    }

    init(_ quota: ConnectionQuota, _ draining: Draining, exchangeLimit: Duration) {
        patience = RequestPatience(openedAt: .now, exchangeLimit: exchangeLimit)
        self.quota = quota
        self.draining = draining
        openRequests = draining.openRequests()
    }

    func channelActive(context: ChannelHandlerContext) {
        watch = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionWatch.self)
        let canGoOn = watch?.openStream() ?? true
        // A stream's own context has no address.
        place = quota.place(for: context.channel.remoteAddress.flatMap(IPAddress.init))
        guard canGoOn, place != nil else { return context.close(promise: nil) }
        timer.start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer.stop()
        openRequests.endAll()
        watch?.closeStream()
        watch = nil
        place = nil
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        patience.wait(at: .now)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        patience.receive(at: .now)
        switch unwrapInboundIn(data) {
        case .head:
            openRequests.begin()
            patience.receiveHead(at: .now)
        case .body(let bytes): patience.receiveBody(byteCount: bytes.readableBytes)
        case .end: patience.receiveEnd()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        patience.finishAnswer(at: .now)
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { [self] in
            openRequests.end()
            patience.answer(at: .now)
            guard draining.isUnderWay else { return }
            // Some clients take nothing any more after they were asked to go (GOAWAY), so it follows the answer.
            context.channel.parent?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        context.write(data, promise: sent)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ConnectionGuard.ImportAdmitted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        patience.admitImport(at: .now)
        promise?.succeed()
    }
}

extension StreamGuard {
    /// The place of a stream that was admitted; nil if it was reset already.
    static func place(of stream: any Channel) async throws -> ConnectionQuota.Place? {
        try await stream.eventLoop.submit {
            try? stream.pipeline.syncOperations.handler(type: StreamGuard.self).place
        }.get()
    }
}
