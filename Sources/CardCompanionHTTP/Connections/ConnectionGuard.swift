internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client is too slow, and one of an address that has too many open. While the server is about to stop,
/// it ends the connection after an answer. One for each connection.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// An import that is being read has an authenticated caller, so it can take longer. Sent down the pipeline by its route.
    struct ImportAdmitted: Sendable {}

    private let watch: ByteWatch
    private let draining: Draining
    /// Whether the answer that is being written is the last one.
    private var isLastAnswer = false

    init(_ quota: ConnectionQuota, _ draining: Draining) {
        watch = ByteWatch(quota)
        self.draining = draining
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            // In front of TLS, so that the handshake counts too.
            try context.pipeline.syncOperations.addHandler(watch, position: .first)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: watch.patience.receiveHead(at: .now)
        case .body(let bytes): watch.patience.receiveBody(byteCount: bytes.readableBytes)
        case .end: watch.patience.receiveEnd()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where draining.isUnderWay && head.status.kind != .informational:
            head.headerFields[.connection] = "close"
            isLastAnswer = true
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            let isLast = isLastAnswer
            sent.futureResult.assumeIsolated().whenSuccess { [watch] in
                watch.patience.answer(at: .now)
                if isLast { context.close(promise: nil) }
            }
            context.write(data, promise: sent)
        default: context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ImportAdmitted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        watch.patience.admitImport(at: .now)
        promise?.succeed()
    }
}

/// Sees the bytes of a connection as they come, and closes it when its time is over.
private final class ByteWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var patience = RequestPatience(openedAt: .now)

    private let quota: ConnectionQuota
    private var place: ConnectionQuota.Place?
    /// When the timer looks at the deadline. It is not moved when the deadline moves to a later time.
    private var timerTime: ContinuousClock.Instant?
    private var isOpen = false

    init(_ quota: ConnectionQuota) {
        self.quota = quota
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        place = nil
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        patience.wait(at: .now)
        setTimer(context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        patience.receive(at: .now)
        context.fireChannelRead(data)
    }

    private func open(_ context: ChannelHandlerContext) {
        guard !isOpen else { return }
        isOpen = true
        place = quota.place(for: context.remoteAddress.flatMap(IPAddress.init))
        if place == nil { return context.close(promise: nil) }
        setTimer(context)
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        guard isOpen, let deadline = patience.deadline else { return }
        if let timerTime, timerTime <= deadline { return }
        timerTime = deadline
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(max(.zero, deadline - .now))) { [weak self] in
            self?.look(context, timerOf: deadline)
        }
    }

    private func look(_ context: ChannelHandlerContext, timerOf time: ContinuousClock.Instant) {
        guard isOpen, timerTime == time else { return }
        timerTime = nil
        if let deadline = patience.deadline, deadline <= .now { return context.close(promise: nil) }
        setTimer(context)
    }
}
