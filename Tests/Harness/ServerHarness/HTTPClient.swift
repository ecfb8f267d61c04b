internal import Foundation
internal import NIOCore
internal import NIOPosix

/// A server's response.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// The header fields, in order.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a field that occurs exactly once; otherwise nil.
    package subscript(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }
        return values.count == 1 ? values.first?.value : nil
    }

    /// The body as a JSON object; empty if it is not one.
    package var members: [String: JSON] {
        guard case .object(let members)? = try? JSON(parsing: body) else { return [:] }
        return members
    }

    /// The body's `errorCode`.
    package var code: Int? { members["errorCode"]?.integer }
    /// The body's `errorMessage`.
    package var message: String? { members["errorMessage"]?.string }

    /// The kind of problem: the last part of its URN; nil if the response is not a problem.
    package var problem: String? {
        guard self["Content-Type"] == "application/problem+json" else { return nil }
        return members["type"]?.string.map { $0.replacing("urn:card-companion:problem:", with: "") }
    }

    /// The problem's `detail`.
    package var detail: String { members["detail"]?.string ?? "" }
}

extension TestServer {
    /// Posts a JSON object on a new connection.
    package func post(_ path: String, _ body: [String: JSON]) async throws -> HTTPAnswer {
        try await post(path, bytes: Array(JSON.object(body).text.utf8))
    }

    /// Posts raw bytes on a new connection.
    package func post(
        _ path: String, bytes: [UInt8], contentType: String? = "application/json"
    ) async throws -> HTTPAnswer {
        try await request("POST", path, headers: contentType.map { [("Content-Type", $0)] } ?? [], body: bytes)
    }

    /// Sends a request on a new connection. Sets `Content-Length` if there is a body.
    ///
    /// - Parameters:
    ///   - host: `Host`; nil sends the authority of the server's URL.
    ///   - address: the address of this machine that the request goes to, and so comes from.
    package func request(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        host: String? = nil, to address: String = HTTPClient.loopback
    ) async throws -> HTTPAnswer {
        var fields = [("Host", host ?? authority), ("Connection", "close")] + headers
        if !body.isEmpty { fields.append(("Content-Length", "\(body.count)")) }
        let head = "\(method) \(path) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        let answers = try await exchange(Array(head.utf8) + body, toHead: method == "HEAD", to: address)
        return try answers.first.orThrow(HTTPClient.NoAnswer())
    }

    /// Sends raw bytes on one connection; returns the responses received until the server closes it.
    ///
    /// - Parameter toHead: whether the requests are HEAD, whose responses have no bodies.
    package func exchange(
        _ bytes: [UInt8], toHead: Bool = false, to address: String = HTTPClient.loopback
    ) async throws -> [HTTPAnswer] {
        try HTTPClient.answers(in: try await HTTPClient.exchange(bytes, to: address, port: port), toHead: toHead)
    }
}

/// A minimal HTTP/1.1 client: one connection per exchange, which the server closes.
package enum HTTPClient {
    package static let loopback = "127.0.0.1"

    /// An IPv4 address of this machine that is not a loopback address; nil if it has none.
    package static let otherAddress = (try? System.enumerateDevices())?.lazy.compactMap(\.address).first {
        $0.protocol == .inet && $0.ipAddress?.hasPrefix("127.") == false
    }?.ipAddress

    /// The connection ended before the response was complete.
    struct NoAnswer: Error {}

    private static let timeout = TimeAmount.seconds(180)

    static func exchange(_ bytes: [UInt8], to address: String, port: Int) async throws -> [UInt8] {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: address, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(bytes))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let channel = connection.channel
        let limit = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        defer { limit.cancel() }
        return try await connection.executeThenClose { inbound, _ in try await received(inbound) }
    }

    /// Sends bytes as soon as the connection is open. A task could come too late for that: the tests keep Swift's threads busy, and
    /// a server closes a connection on which no request has come within ten seconds.
    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let bytes: ByteBuffer

        init(_ bytes: [UInt8]) {
            self.bytes = ByteBuffer(bytes: bytes)
        }

        func channelActive(context: ChannelHandlerContext) {
            // If the server has closed the connection, what it sent before can still be read.
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            context.fireChannelActive()
        }
    }

    /// - Returns: false if the server has closed the connection. What it sent before can still be read.
    @discardableResult
    static func send(
        _ bytes: ByteBuffer, to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws -> Bool {
        do {
            try await outbound.write(bytes)
            return true
        } catch is ChannelError {
            return false
        } catch is NIOAsyncWriterError {
            return false
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {
            return false
        }
    }

    /// What the server sends until it closes the connection.
    static func received(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> [UInt8] {
        var answer: [UInt8] = []
        do {
            for try await chunk in inbound { answer += chunk.readableBytesView }
        } catch let error as IOError where error.errnoCode == ECONNRESET && !answer.isEmpty {
            // The server responded before it had read the whole request.
        }
        return answer
    }

    static func answers(in bytes: [UInt8], toHead: Bool = false) throws -> [HTTPAnswer] {
        var answers: [HTTPAnswer] = []
        var rest = bytes[...]
        while !rest.isEmpty { answers.append(try answer(&rest, toHead: toHead)) }
        return answers
    }

    private static func answer(_ bytes: inout ArraySlice<UInt8>, toHead: Bool) throws -> HTTPAnswer {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw NoAnswer() }
        var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = try Int(lines.removeFirst().split(separator: " ")[1]).orThrow(NoAnswer())
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return (name: parts[0], value: parts.count == 2 ? parts[1] : "")
        }
        bytes = bytes[end.upperBound...]
        if toHead { return HTTPAnswer(status: status, headers: headers, body: []) }
        let isChunked = headers.contains { $0.name.lowercased() == "transfer-encoding" && $0.value == "chunked" }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        let body = try isChunked ? chunks(&bytes) : part(&bytes, length)
        return HTTPAnswer(status: status, headers: headers, body: body)
    }

    /// A body in chunks, without trailers (RFC 9112 section 7.1).
    private static func chunks(_ bytes: inout ArraySlice<UInt8>) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            guard let end = bytes.firstRange(of: Array("\r\n".utf8)) else { throw NoAnswer() }
            let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            let length = try Int(text, radix: 16).orThrow(NoAnswer())
            bytes = bytes[end.upperBound...]
            body += try part(&bytes, length)
            guard try part(&bytes, 2) == Array("\r\n".utf8) else { throw NoAnswer() }
            if length == 0 { return body }
        }
    }

    private static func part(_ bytes: inout ArraySlice<UInt8>, _ length: Int) throws -> [UInt8] {
        let part = Array(bytes.prefix(length))
        guard part.count == length else { throw NoAnswer() }
        bytes = bytes.dropFirst(length)
        return part
    }
}
