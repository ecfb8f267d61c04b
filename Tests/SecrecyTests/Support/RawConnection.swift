import Foundation
import NIOCore
import NIOPosix

/// A connection to a server on which a test sends what it wants, and as slowly as it wants.
struct RawConnection {
    private let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var received: [UInt8] = []

    /// Connects, and closes after `body`, or when it takes too long.
    static func open<Result: Sendable>(
        _ port: Int, patienceSeconds: Int = 60, _ body: @Sendable (inout RawConnection) async throws -> Result
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

    /// Sends; what the server does not take any more is lost, and what it has said before it closed can be read.
    func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        do {
            try await outbound.write(ByteBuffer(bytes: bytes))
        } catch is ChannelError {
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {}
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Tells the server that nothing more comes.
    func closeOutput() async throws {
        outbound.finish()
    }

    /// Everything until the server closes; what a reset cuts off is lost.
    mutating func receiveAll() async throws -> [UInt8] {
        while try await receiveMore() {}
        defer { received = [] }
        return received
    }

    /// The status and body of the next answer, nil where the server closes in place of it.
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
            // The server has answered and closed before it had read all.
            return false
        }
    }
}

/// An answer as it came.
struct RawAnswer: Sendable {
    let status: Int
    let head: String
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// All answers in what a server has sent.
    static func all(in bytes: [UInt8]) -> [RawAnswer] {
        var answers: [RawAnswer] = []
        var rest = bytes
        while let (answer, length) = first(in: rest) {
            answers.append(answer)
            rest.removeFirst(length)
        }
        return answers
    }

    /// The first answer and how long it is, nil where it is not there in whole.
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
