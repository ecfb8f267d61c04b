internal import Cryptography
internal import NIOCore
internal import SecureMemory

/// Makes a WebSocket of a connection of HTTP/1.1 (RFC 6455). Until a request asks for that it does nothing. It is in front of the
/// handlers of HTTP, which see nothing any more when it has begun. One for each connection.
///
/// Every request of a connection can ask for it, because the request's handler runs the WebSocket: so it has passed all that other
/// requests pass, and its end is the end of the connection. The upgraders of NIOHTTP1 would take the first request only, and would
/// change the handlers of all connections.
///
/// It reads nothing while something that it has sent is not on its way: a client that does not read is not read either, so nothing
/// piles up here.
final class WebSocketHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias Instant = ContinuousClock.Instant

    struct Limits: Sendable {
        /// How long something that was sent can wait for a client that does not read.
        var write = Duration.seconds(30)
        /// How long the client has to answer a close frame.
        var close = Duration.seconds(2)
        /// How many pings and pongs a client can send.
        var controlFrames = 1_000
    }

    private enum State {
        /// The connection speaks HTTP.
        case http
        /// The answer 101 is on its way. What comes before it is sent waits.
        case opening([ByteBuffer])
        case open
        /// A close frame was sent. The client's own is awaited; what else comes is dropped.
        case closing
        /// Both have closed, or one is lost. The connection ends when all is sent.
        case over
    }

    private var state = State.http
    private var limits = Limits()
    private var endPoint: (any WebSocketEndPoint)?
    private var reader = WebSocketReader(textByteLimit: 0, binaryByteLimit: 0)
    /// Whether what comes can still be read as frames.
    private var isReadable = true
    private var controlFrameCount = 0
    /// Whether the server stops.
    private var isStopping = false
    private var context: ChannelHandlerContext?
    private var isReadHeld = false
    private var unsentCount = 0
    /// Whether what is written waits for the rest, to leave together.
    private var isGathering = false
    /// When the connection is closed if nothing more was sent until then, or if the client does not close it.
    private var limit: Instant?
    private lazy var timer = ClosingTimer { [unowned self] _ in timeOut(at: .now) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer.stop()
        lose()
        self.context = nil
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if holdsReads { isReadHeld = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .http: context.fireChannelRead(data)
        case .opening(let waiting): state = .opening(waiting + [unwrapInboundIn(data)])
        case .open, .closing: receive(unwrapInboundIn(data))
        case .over: RequestBodyReader.wipe(unwrapInboundIn(data))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (state, event) {
        case (.http, _): break
        case (_, is ChannelShouldQuiesceEvent):
            isStopping = true
            endPoint?.stop()
        // A client that sends nothing more cannot close the WebSocket any more either.
        case (_, ChannelEvent.inputClosed): context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .http = state { return context.fireErrorCaught(error) }
        context.close(promise: nil)
    }
}

// MARK: For the end point

extension WebSocketHandler {
    /// The next answer is 101. Nothing is read until ``open(_:_:)``.
    func begin() {
        state = .opening([])
    }

    /// The answer 101 was sent.
    func open(_ endPoint: any WebSocketEndPoint, _ limits: Limits) {
        guard case .opening(let waiting) = state, let context else { return endPoint.end(by: .lost) }
        self.endPoint = endPoint
        self.limits = limits
        state = .open
        timer.start(context)
        if isStopping { endPoint.stop() }
        waiting.forEach(receive)
        goOn()
    }

    func send(text: borrowing some ByteSource & ~Copyable) {
        if case .open = state { write(.text, text) }
    }

    func send(binary: borrowing some ByteSource & ~Copyable) {
        if case .open = state { write(.binary, binary) }
    }

    /// What `body` sends leaves in one write.
    func gather(_ body: () -> Void) {
        guard !isGathering else { return body() }
        isGathering = true
        body()
        isGathering = false
        context?.flush()
    }

    /// Sends the close frame. Then the client has some time to send its own.
    ///
    /// - Parameter reason: at most 123 bytes.
    func close(code: UInt16, reason: String) {
        guard case .open = state else { return }
        write(.close, code.bigEndianBytes + Array(reason.utf8))
        state = .closing
        goOn()
    }
}

// MARK: Reading

extension WebSocketHandler {
    private var holdsReads: Bool {
        if case .opening = state { return true }
        return unsentCount > 0
    }

    private func receive(_ chunk: ByteBuffer) {
        defer { RequestBodyReader.wipe(chunk) }
        guard isReadable else { return }
        chunk.withUnsafeReadableBytes { bytes in
            // Nobody else reads the chunk, and it is wiped.
            let own = UnsafeMutableRawBufferPointer(mutating: bytes)
            var rest = own[...]
            do throws(WebSocketReader.Failure) {
                while let endPoint, isReadable {
                    reader.textByteLimit = endPoint.textByteLimit
                    reader.binaryByteLimit = endPoint.binaryByteLimit
                    guard let message = try reader.next(&rest) else { break }
                    try take(message, endPoint)
                }
                endPoint?.receive(partByteCount: reader.partByteCount)
            } catch {
                isReadable = false
                endPoint?.receive(failure: error)
            }
        }
        goOn()
    }

    private func take(
        _ message: consuming WebSocketReader.Message, _ endPoint: any WebSocketEndPoint
    ) throws(WebSocketReader.Failure) {
        guard case .open = state else {
            if case .close(_, let reason) = message { end(by: .closed(reason: reason)) }
            return
        }
        switch consume message {
        case .text(let text): endPoint.receive(text: text)
        case .binary(let bytes): endPoint.receive(binary: bytes)
        case .ping(let bytes):
            try countControlFrame()
            write(.pong, bytes)
        case .pong: try countControlFrame()
        case .close(let code, let reason):
            write(.close, code?.bigEndianBytes ?? [])
            end(by: .closed(reason: reason))
        }
    }

    private func countControlFrame() throws(WebSocketReader.Failure) {
        controlFrameCount += 1
        guard controlFrameCount <= limits.controlFrames else { throw .tooLong }
    }
}

// MARK: Writing

extension WebSocketHandler {
    private func write(_ opcode: WebSocketFrameHead.Opcode, _ payload: borrowing some ByteSource & ~Copyable) {
        guard let context else { return }
        let frame = payload.withBytes { bytes in
            let head = WebSocketFrameHead.bytes(opcode, payloadByteCount: bytes.count)
            var frame = context.channel.allocator.buffer(capacity: head.count + bytes.count)
            frame.writeBytes(head)
            frame.writeBytes(bytes)
            return frame
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        if unsentCount == 0 { limit = .now + limits.write }
        unsentCount += 1
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            RequestBodyReader.wipe(frame)
            unsentCount -= 1
            limit = unsentCount > 0 ? .now + limits.write : nil
            goOn()
        }
        context.write(wrapOutboundOut(frame), promise: sent)
        if !isGathering { context.flush() }
    }
}

// MARK: Time and end

extension WebSocketHandler {
    /// After anything has happened: what is next, and until when.
    private func goOn() {
        guard let context else { return }
        if unsentCount == 0 {
            if case .over = state { return context.close(promise: nil) }
            if case .closing = state, limit == nil { limit = .now + limits.close }
        }
        timer.deadline = deadline
        guard isReadHeld, !holdsReads else { return }
        isReadHeld = false
        context.read()
    }

    private var deadline: Instant? {
        guard let limit, let other = endPoint?.deadline else { return limit ?? endPoint?.deadline }
        return min(limit, other)
    }

    private func timeOut(at now: Instant) {
        if let limit, limit <= now {
            context?.close(promise: nil)
            return
        }
        endPoint?.timeOut(at: now)
        goOn()
    }

    private func end(by client: WebSocketEnd) {
        state = .over
        isReadable = false
        endPoint?.end(by: client)
        endPoint = nil
    }

    private func lose() {
        if case .http = state { return }
        end(by: .lost)
    }
}

extension WebSocketHandler {
    /// Calls `body` with the handler of a connection, on its event loop.
    ///
    /// - Returns: nil if the channel is a stream of HTTP/2, which has none.
    static func on<Result: Sendable>(
        _ channel: any Channel, _ body: @escaping @Sendable (WebSocketHandler) throws -> Result
    ) async throws -> Result? {
        try await channel.eventLoop.submit {
            try (try? channel.pipeline.syncOperations.handler(type: WebSocketHandler.self)).map(body)
        }.get()
    }
}
