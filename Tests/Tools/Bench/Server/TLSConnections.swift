import NIOCore
import NIOPosix
import NIOSSL
import ServerHarness

/// TLS connections that stay open after one request each. They measure memory, not speed.
enum TLSConnections {
    /// The files of a server's certificate.
    struct Certificate {
        let certificate: String
        let key: String

        var environment: [String: String] {
            ["HTTP_TLS_CERTIFICATE": certificate, "HTTP_TLS_KEY": key]
        }
    }

    static func makeCertificate() async throws -> Certificate {
        let files = Certificate(
            certificate: TestFolder.shared.unused("tls.pem"), key: TestFolder.shared.unused("tls.key"))
        try await TestCommand.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-keyout", files.key, "-out", files.certificate,
            ]
        ).succeeded()
        return files
    }

    /// Opens the connections, and calls `body` while they are open.
    static func open<Result>(_ count: Int, to port: Int, _ body: () -> Result) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let request = ByteBuffer(string: "GET /health/live HTTP/1.1\r\nHost: \(RequestBatch.host)\r\n\r\n")
        for _ in 0..<count {
            let answered = group.next().makePromise(of: Void.self)
            let channel = try await ClientBootstrap(group: group).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: nil)
                    try channel.pipeline.syncOperations.addHandlers(tls, FirstAnswer(answered))
                }
            }.connect(host: "127.0.0.1", port: port).get()
            try await channel.writeAndFlush(request)
            try await answered.futureResult.get()
        }
        let result = body()
        try await group.shutdownGracefully()
        return result
    }
}

/// Completes a promise when an answer begins, or when the connection ends without one.
private final class FirstAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let answered: EventLoopPromise<Void>

    init(_ answered: EventLoopPromise<Void>) {
        self.answered = answered
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answered.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answered.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answered.fail(ChannelError.eof)
    }
}
