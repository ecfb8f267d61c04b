internal import Foundation
internal import NIOCore
package import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
package import ServerHarness
internal import Synchronization

/// A webhook request that a receiver got.
package struct ReceivedWebhook: Sendable {
    package let head: HTTPRequestHead
    package let body: [UInt8]
}

/// A bank's webhook receiver, with or without TLS. A test can make it fail in different ways.
package final class WebhookReceiver: Sendable {
    /// The reaction to a request.
    package enum Behaviour: Sendable {
        case answer(Int)
        case redirect(String)
        /// Sends no response and keeps the connection open.
        case hang
        /// As a process that is frozen: sends no response and reads nothing more, not even the end of TLS.
        case freeze
        /// Answers when the test says so.
        case answerAfter(Int, @Sendable () async -> Void)
        /// Closes the connection without a response.
        case drop
    }

    /// The PEM files of a self-signed certificate for `localhost` and of its key.
    package struct Certificate: Sendable {
        package let file: String
        package let keyFile: String
    }

    package static let certificate = Once {
        let file = TestFolder.shared.unused("receiver.pem")
        try await TestCommand.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", "\(file).key", "-out", file,
            ]
        ).succeeded()
        return Certificate(file: file, keyFile: "\(file).key")
    }

    package let url: String
    private let channel: any Channel
    private let state: State

    /// Starts to listen.
    ///
    /// - Parameter behave: decides the reaction to each request; the number counts the requests before it.
    package init(
        isSecure: Bool = true,
        _ behave: @escaping @Sendable (ReceivedWebhook, Int) -> Behaviour = { _, _ in .answer(204) }
    ) async throws {
        let state = State(behave)
        let tls = isSecure ? try await Self.tlsContext() : nil
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.state = state
        url = "\(isSecure ? "https" : "http")://localhost:\(channel.localAddress?.port ?? 0)"
    }

    deinit {
        channel.close(promise: nil)
    }

    /// All requests so far, whatever the reaction.
    package var received: [ReceivedWebhook] { state.received.withLock(\.self) }

    /// The requests that were answered with a 2xx status.
    package var accepted: [ReceivedWebhook] { state.taken.withLock(\.self) }

    private static func tlsContext() async throws -> NIOSSLContext {
        let certificate = try await certificate.value
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.file).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyFile, format: .pem))))
    }

    private final class State: Sendable {
        let behave: @Sendable (ReceivedWebhook, Int) -> Behaviour
        let received = Mutex<[ReceivedWebhook]>([])
        let taken = Mutex<[ReceivedWebhook]>([])

        init(_ behave: @escaping @Sendable (ReceivedWebhook, Int) -> Behaviour) {
            self.behave = behave
        }

        func receive(_ webhook: ReceivedWebhook) -> Behaviour {
            let count = received.withLock { received in
                received.append(webhook)
                return received.count - 1
            }
            let behaviour = behave(webhook, count)
            if case .answer(200...299) = behaviour { taken.withLock { $0.append(webhook) } }
            return behaviour
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let state: State
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ state: State) {
            self.state = state
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += part.readableBytesView
            case .end: end(context)
            }
        }

        private func end(_ context: ChannelHandlerContext) {
            guard let head else { return }
            switch state.receive(ReceivedWebhook(head: head, body: body)) {
            case .answer(let status): answer(HTTPResponseStatus(statusCode: status), [:], context)
            case .redirect(let url): answer(.permanentRedirect, ["Location": url], context)
            case .hang: break
            case .freeze: context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
            case .answerAfter(let status, let wait):
                let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.makeFutureWithTask { await wait() }.whenSuccess {
                    let (handler, context) = handler.value
                    handler.answer(HTTPResponseStatus(statusCode: status), [:], context)
                }
            case .drop: context.close(promise: nil)
            }
        }

        private func answer(_ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
            var headers = headers
            if status.mayHaveResponseBody { headers.add(name: "Content-Length", value: "0") }
            context.write(
                wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
