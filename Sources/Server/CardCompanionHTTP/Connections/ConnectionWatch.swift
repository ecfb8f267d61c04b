internal import NIOCore

/// Sees the bytes of a connection as they come, in front of TLS, and closes the connection when its time is over. One for each
/// connection.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The patience with its requests, if they come one after the other: in HTTP/1.1, and during the TLS handshake.
    var patience: RequestPatience {
        didSet { if unused == nil, !isHandedOver { timer.deadline = patience.deadline } }
    }

    /// The patience with a connection of HTTP/2. Its requests have limits of their own (``StreamGuard``).
    private var unused: UnusedPatience? {
        didSet { timer.deadline = unused?.deadline }
    }
    private let quota: ConnectionQuota
    private let idleTimeoutSeconds: Int
    private var place: ConnectionQuota.Place?
    private let timer = ClosingTimer()
    private var isOpen = false
    /// Whether the connection is a WebSocket, which has limits of its own.
    private var isHandedOver = false
    /// Whether it is known how requests come. During the TLS handshake it is not.
    private var isSetUp = false

    init(_ quota: ConnectionQuota, idleTimeoutSeconds: Int, exchangeLimit: Duration) {
        patience = RequestPatience(openedAt: .now, exchangeLimit: exchangeLimit)
        self.quota = quota
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }

    /// Requests come one after the other, as in HTTP/1.1.
    func serialize() {
        isSetUp = true
    }

    /// The client has chosen HTTP/2.
    func multiplex() {
        isSetUp = true
        unused = UnusedPatience(openedAt: .now, idleTimeoutSeconds: idleTimeoutSeconds)
    }

    /// The connection is a WebSocket from now on. It must end by limits of its own.
    func handOver() {
        isHandedOver = true
        timer.deadline = nil
    }

    /// - Returns: false if the client must use another connection.
    func openStream() -> Bool { unused?.openStream(at: .now) ?? true }

    func closeStream() { unused?.closeStream(at: .now) }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        timer.stop()
        place = nil
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        patience.wait(at: .now)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        patience.receive(at: .now)
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            // In its handshake, nobody else would hear that.
            guard isSetUp else { return context.close(promise: nil) }
            unused?.quiesce(at: .now)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func open(_ context: ChannelHandlerContext) {
        guard !isOpen else { return }
        isOpen = true
        place = quota.place(for: context.remoteAddress.flatMap(IPAddress.init))
        if place == nil { return context.close(promise: nil) }
        timer.start(context)
    }
}
