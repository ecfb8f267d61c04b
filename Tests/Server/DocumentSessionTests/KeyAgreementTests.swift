import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ServerHarness
import Synchronization
import Testing

/// How the server and its clients agree on the keys of TLS.
@Suite("Key agreement of TLS")
struct KeyAgreementTests {
    private static let hybrid = NIOTLSCurve.x25519_MLKEM768

    @Test("A client that can do it agrees on keys with X25519 and ML-KEM-768, and others with what they have")
    func groups() async throws {
        let certificate = try await TestCertificate()
        try await SessionServer.run(certificate: certificate) { server in
            for (offered, chosen) in [
                (nil, Self.hybrid), ([Self.hybrid], Self.hybrid), ([Self.hybrid, .x25519], Self.hybrid),
                ([.x25519], .x25519), ([.secp256r1], .secp256r1), ([.secp384r1], .secp384r1),
                // The client's order counts.
                ([.x25519, Self.hybrid], .x25519),
            ] as [([NIOTLSCurve]?, NIOTLSCurve)] {
                let group = try await Self.group(offering: offered, to: server.port, trusting: certificate)
                #expect(group == chosen.rawValue, "\(offered?.map(\.rawValue) ?? [])")
            }
        }
    }

    /// The group that the server chooses.
    private static func group(
        offering curves: [NIOTLSCurve]?, to port: Int, trusting certificate: TestCertificate
    ) async throws -> UInt16? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificate.certificate)
        configuration.curves = curves
        let (context, hello) = (try NIOSSLContext(configuration: configuration), HelloReader())
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        hello, try NIOSSLClientHandler(context: context, serverHostname: nil),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        // It goes through when the handshake has.
        try await channel.writeAndFlush(ByteBuffer(string: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")).get()
        try await eventually("the server has chosen") { hello.group != nil }
        try? await channel.close().get()
        return hello.group
    }
}

/// Reads the group in the server's hello (RFC 8446 sections 4.1.3 and 4.2.8), which is not encrypted.
private final class HelloReader: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let (keyShare, headByteCount): (UInt16, Int) = (51, 5 + 4 + 2 + 32)
    private let found = Mutex<(bytes: [UInt8], group: UInt16?)>(([], nil))

    var group: UInt16? { found.withLock(\.group) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        found.withLock { found in
            found.bytes += unwrapInboundIn(data).readableBytesView
            if found.group == nil { found.group = Self.group(in: found.bytes) }
        }
        context.fireChannelRead(data)
    }

    private static func group(in bytes: [UInt8]) -> UInt16? {
        func number(_ place: Int) -> Int? {
            place + 1 < bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : nil
        }
        guard bytes.count > headByteCount, bytes[0] == 22, bytes[5] == 2 else { return nil }
        // After the session id: the cipher suite, the compression, and the length of the extensions.
        var place = headByteCount + 1 + Int(bytes[headByteCount]) + 3 + 2
        while let type = number(place), let length = number(place + 2) {
            if type == keyShare { return number(place + 4).map { UInt16($0) } }
            place += 4 + length
        }
        return nil
    }
}
