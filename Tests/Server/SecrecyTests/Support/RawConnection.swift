import Foundation
import NIOCore
import NIOPosix

/// A connection on which a test sends any bytes, at any speed.
struct RawConnection {
    private let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var received: [UInt8] = []

    /// Connects, runs `body` and closes. Closes early if `body` takes longer than `patienceSeconds`.
    static func open<Result: Sendable>(
        _ port: Int, patienceSeconds: Int = 600, _ body: @Sendable (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        let channel = connection.channel
        let limit = channel.eventLoop.scheduleTask(in: .seconds(Int64(patienceSeconds))) { channel.close(promise: nil) }
        defer { limit.cancel() }
        return try await connection.executeThenClose { inbound, outbound in
            var raw = RawConnection(channel: channel, outbound: outbound, inbound: inbound.makeAsyncIterator())
            return try await body(&raw)
        }
    }

    /// Sends bytes. Ignores errors if the server has closed; what it sent before can still be read.
    func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        do {
            try await outbound.write(ByteBuffer(bytes: bytes))
        } catch is ChannelError {
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {}
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Closes the client's side of the connection.
    func closeOutput() async throws {
        outbound.finish()
    }

    /// All bytes until the server closes or resets the connection.
    mutating func receiveAll() async throws -> [UInt8] {
        while try await receiveMore() {}
        defer { received = [] }
        return received
    }

    /// The next response; nil if the server closes instead.
    mutating func receiveAnswer() async throws -> RawAnswer? {
        while true {
            if let (answer, length) = RawAnswer.first(in: received) {
                received.removeFirst(length)
                return answer
            }
            guard try await receiveMore() else { return nil }
        }
    }

    private mutating func receiveMore() async throws -> Bool {
        do {
            guard let chunk = try await inbound.next() else { return false }
            received += chunk.readableBytesView
            return true
        } catch let error as IOError where error.errnoCode == ECONNRESET {
            // The server responded and closed before it had read the whole request.
            return false
        }
    }
}

/// An HTTP response.
struct RawAnswer: Sendable {
    let status: Int
    let head: String
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// All complete responses in the received bytes.
    static func all(in bytes: [UInt8]) -> [RawAnswer] {
        var answers: [RawAnswer] = []
        var rest = bytes
        while let (answer, length) = first(in: rest) {
            answers.append(answer)
            rest.removeFirst(length)
        }
        return answers
    }

    /// The first response and its length in bytes; nil if it is not complete.
    static func first(in bytes: [UInt8]) -> (RawAnswer, length: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        let body = Array(bytes[end.upperBound..<end.upperBound + length])
        return (RawAnswer(status: status, head: head, body: body), end.upperBound + length)
    }
}
