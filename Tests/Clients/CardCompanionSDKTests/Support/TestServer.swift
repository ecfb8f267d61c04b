import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A request as the server received it.
struct TestRequest: Sendable {
    let method: String
    let path: String
    let contentType: String?
    let body: Data

    func decoded<Body: Decodable>(_: Body.Type) throws -> Body {
        try JSONDecoder().decode(Body.self, from: body)
    }
}

/// How the server reacts to a request.
enum Reaction: Sendable {
    case answer(
        status: Int = 200, type: String = "application/json", location: String? = nil, retryAfter: String? = nil,
        body: String)
    /// Sends nothing and keeps the connection open.
    case silence
    /// Starts an answer and then sends one byte at a time without end.
    case drip
    /// Closes the connection without an answer.
    case hangUp
    /// Closes the connection in the middle of a body.
    case cutOff

    static func json(_ body: some Encodable) -> Reaction {
        do {
            return .answer(body: String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
        } catch {
            return .answer(status: 599, body: "\(error)")
        }
    }
}

/// Runs an HTTP server on loopback while `body` runs. `body` gets the server's URL.
func withTestServer<Result: Sendable>(
    tls: NIOSSLContext? = nil, reacting react: @escaping @Sendable (TestRequest) throws -> Reaction,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                try channel.pipeline.syncOperations.addHandler(ReactingHandler(react: react))
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    guard let port = server.localAddress?.port else { throw ChannelError.unknownLocalAddress }
    do {
        let result = try await body("\(tls == nil ? "http" : "https")://127.0.0.1:\(port)")
        try await server.close()
        return result
    } catch {
        try await server.close()
        throw error
    }
}

private final class ReactingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let react: @Sendable (TestRequest) throws -> Reaction
    private var head: HTTPRequestHead?
    private var body = Data()

    init(react: @escaping @Sendable (TestRequest) throws -> Reaction) {
        self.react = react
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = Data()
        case .body(let buffer):
            body += buffer.readableBytesView
        case .end:
            guard let head else { return }
            let request = TestRequest(
                method: head.method.rawValue, path: head.uri, contentType: head.headers.first(name: "Content-Type"),
                body: body)
            perform(reaction(to: request), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func reaction(to request: TestRequest) -> Reaction {
        do {
            return try react(request)
        } catch {
            return .answer(status: 599, body: "\(error)")
        }
    }

    private func perform(_ reaction: Reaction, _ context: ChannelHandlerContext) {
        switch reaction {
        case .answer(let status, let type, let location, let retryAfter, let body):
            var headers = HTTPHeaders([("Content-Type", type), ("Content-Length", "\(body.utf8.count)")])
            if let location { headers.add(name: "Location", value: location) }
            if let retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
            write(.head(.init(version: .http1_1, status: .init(statusCode: status), headers: headers)), context)
            write(.body(.byteBuffer(ByteBuffer(string: body))), context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .silence:
            break
        case .drip:
            write(.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "1000000"])), context)
            drip(context)
        case .hangUp:
            context.close(promise: nil)
        case .cutOff:
            write(.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "1000000"])), context)
            write(.body(.byteBuffer(ByteBuffer(string: "{"))), context)
            context.flush()
            context.close(promise: nil)
        }
    }

    private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: nil)
    }

    private func drip(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(20)) {
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            handler.write(.body(.byteBuffer(ByteBuffer(string: " "))), context)
            context.flush()
            handler.drip(context)
        }
    }
}
