import NIOCore
import NIOEmbedded
import NIOSSL
import NIOTLS

/// What TLS makes of the bytes of a client's connection. It neither sends nor receives.
final class TLSSession {
    private let channel = EmbeddedChannel()
    private let opening = Opening()

    /// - Parameter context: of a client.
    init(_ context: NIOSSLContext) throws {
        let tls = try NIOSSLClientHandler(context: context, serverHostname: nil)
        try channel.pipeline.syncOperations.addHandlers(tls, opening)
    }

    /// A context that takes any certificate of a server: who measures knows which server it is.
    static func clientContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return try NIOSSLContext(configuration: configuration)
    }

    /// Whether both sides can send.
    var isOpen: Bool { opening.isDone }

    /// The first bytes to send.
    func greeting() throws -> ByteBuffer {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        return try outgoing()
    }

    /// What is to be sent.
    func outgoing() throws -> ByteBuffer { try joined { try channel.readOutbound(as: ByteBuffer.self) } }

    /// What is to be sent of a text.
    func seal(_ text: UnsafeRawBufferPointer) throws -> ByteBuffer {
        channel.writeAndFlush(ByteBuffer(bytes: text), promise: nil)
        return try outgoing()
    }

    /// The text of received bytes; empty if more of them are needed.
    func open(_ received: ArraySlice<UInt8>) throws -> ByteBuffer {
        try channel.writeInbound(ByteBuffer(bytes: received))
        return try joined { try channel.readInbound(as: ByteBuffer.self) }
    }

    private func joined(_ next: () throws -> ByteBuffer?) rethrows -> ByteBuffer {
        guard var all = try next() else { return ByteBuffer() }
        while var more = try next() { all.writeBuffer(&more) }
        return all
    }
}

/// Notes that the handshake is over.
private final class Opening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private(set) var isDone = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { isDone = true }
        context.fireUserInboundEventTriggered(event)
    }
}
