internal import NIOCore
internal import NIOPosix

extension TestServer {
    /// Sends a request with a chunked body, and reads the response at the same time.
    package func stream(
        _ method: String, _ path: String, headers: [(name: String, value: String)],
        body pieces: some Sequence<[UInt8]> & Sendable
    ) async throws -> HTTPAnswer {
        let fields = [("Host", authority), ("Connection", "close"), ("Transfer-Encoding", "chunked")]
        let lines = (fields + headers).map { "\($0): \($1)\r\n" }.joined()
        let head = ByteBuffer(string: "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n")
        let bytes = try await HTTPClient.stream(head, pieces, port: port)
        return try HTTPClient.answers(in: bytes).first.orThrow(HTTPClient.NoAnswer())
    }
}

extension HTTPClient {
    fileprivate static func stream(
        _ head: ByteBuffer, _ pieces: some Sequence<[UInt8]> & Sendable, port: Int
    ) async throws -> [UInt8] {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            async let answer = received(inbound)
            try await send(head, to: outbound)
            for piece in pieces {
                var chunk = ByteBuffer(string: String(piece.count, radix: 16) + "\r\n")
                chunk.writeBytes(piece)
                chunk.writeString("\r\n")
                guard try await send(chunk, to: outbound) else { break }
            }
            try await send(ByteBuffer(string: "0\r\n\r\n"), to: outbound)
            return try await answer
        }
    }
}
