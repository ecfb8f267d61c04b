internal import CardCompanion
internal import HTTPTypes
internal import Metrics
internal import NIOCore
internal import NIOHTTPTypes

/// Refuses a request by its head, on the connection's own thread, while the server has more than it can answer in time: a refusal
/// must cost far less than an answer. One for each connection of HTTP/1.1, and for each stream of HTTP/2.
final class EarlyRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What all connections share.
    struct Policy: Sendable {
        let admission: Admission
        let origins: CrossOrigin
        /// The timer of idle connections is behind this handler. So after this time a request goes on to the routes in any case: they
        /// refuse it.
        let longestUnseen: TimeAmount
        let count = Counter(
            label: "card_companion_requests_total",
            dimensions: [("operation", "refused early"), ("status", "503"), ("code", "none")])
    }

    /// A refused request, whose body may still be coming.
    private struct Refused {
        /// Nil once it was sent.
        var answer: Problem.Message?
        /// The client uses the connection no longer.
        let isLast: Bool
        /// How much of the body has come, in bytes.
        var byteCount = 0
    }

    private let policy: Policy
    private var refused: Refused?
    /// How many requests are with the routes. Answers keep the order of the requests, so then nothing is refused here.
    private var openCount = 0
    private var seenAt = NIODeadline.now()
    /// Whether the next part is asked for when the client has taken the answers.
    private var isReadWithheld = false

    init(_ policy: Policy) {
        self.policy = policy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if refused != nil { return refuse(part, context) }
        if case .head(let head) = part {
            refused = openCount == 0 ? refusal(of: head) : nil
            guard refused == nil else { return }
            openCount += 1
            seenAt = .now()
        }
        context.fireChannelRead(data)
    }

    /// A client that takes no answers must not fill the memory with them.
    func read(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return isReadWithheld = true }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isReadWithheld, context.channel.isWritable {
            isReadWithheld = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { openCount -= 1 }
        context.write(data, promise: promise)
    }

    private func refusal(of head: HTTPRequest) -> Refused? {
        guard let priority = RequestPriority(head), .now() < seenAt + policy.longestUnseen else { return nil }
        do throws(Overloaded) {
            try policy.admission.requireRoom(for: priority)
            return nil
        } catch {
            guard var answer = try? Problem(overloaded: error).message else { return nil }
            answer.head.headerFields.append(contentsOf: policy.origins.fields(for: head))
            answer.head.headerFields[.xRequestId] = RequestID.random()
            answer.head.headerFields[.cacheControl] = "no-store"
            let isLast = head.headerFields[.connection]?.lowercased() == "close"
            if isLast { answer.head.headerFields[.connection] = "close" }
            policy.count.increment()
            return Refused(answer: answer, isLast: isLast)
        }
    }

    /// Wipes the body as it comes, because it can contain a secret. The answer follows it, or comes in the middle of a long one.
    private func refuse(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: break
        case .body(let chunk):
            RequestBodyReader.wipe(chunk)
            refused?.byteCount += chunk.readableBytes
            if refused.map({ $0.byteCount > RequestBodyReader.discardedByteLimit }) ?? false { answer(context) }
        case .end:
            answer(context)
            refused = nil
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let answer = refused?.answer.take() else { return }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard refused?.isLast == true else { return }
        sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
}
