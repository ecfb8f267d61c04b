import Glibc
import NIOCore

/// A connection of the load generator: at most one request is under way.
final class Connection {
    let socket: Int32
    /// Nil without TLS.
    private var tls: TLSSession?
    /// The number of the present request.
    private(set) var request = 0
    /// When it should have been sent.
    private(set) var dueAt: Int64 = 0

    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var received = 0
    /// The length of the whole answer, once its head is there.
    private var expected: Int?

    /// Connects, and greets the server if there is TLS.
    init(port: Int, _ tls: TLSSession? = nil) throws {
        self.tls = tls
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw LoadFailed(description: "cannot connect to port \(port)") }
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        try greet()
    }

    private func greet() throws {
        guard let tls else { return }
        try sendBytes(tls.greeting())
        while !tls.isOpen {
            guard try receiveSome() else { throw LoadFailed(description: "the server has refused TLS") }
            try sendBytes(tls.outgoing())
        }
    }

    deinit { close(socket) }

    func begin(_ request: Int, dueAt: Int64) {
        self.request = request
        self.dueAt = dueAt
    }

    func send(_ request: UnsafeRawBufferPointer) throws {
        guard let tls else { return try sendBytes(request) }
        try sendBytes(tls.seal(request))
    }

    private func sendBytes(_ bytes: ByteBuffer) throws {
        if bytes.readableBytes > 0 { try bytes.withUnsafeReadableBytes(sendBytes) }
    }

    /// Requests are shorter than the socket's buffer, so this does not wait.
    private func sendBytes(_ bytes: UnsafeRawBufferPointer) throws {
        guard Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw LoadFailed(description: "the server has closed a connection") }
    }

    func receive() throws {
        guard try receiveSome() else { throw LoadFailed(description: "the server has closed a connection") }
        if expected == nil { expected = wholeByteCount() }
    }

    /// All that the server sends until it closes the connection.
    func receiveToEnd() throws -> UnsafeRawBufferPointer {
        while try receiveSome() {}
        return buffer.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<received]) }
    }

    /// - Returns: false if the connection is closed.
    private func receiveSome() throws -> Bool {
        if received == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let count = buffer.withUnsafeMutableBytes {
            recv(socket, $0.baseAddress?.advanced(by: received), $0.count - received, 0)
        }
        guard count > 0 else { return false }
        if let tls {
            try keep(tls.open(buffer[received..<(received + count)]))
        } else {
            received += count
        }
        return true
    }

    /// Appends what was received to the answer.
    private func keep(_ plain: ByteBuffer) {
        let missing = received + plain.readableBytes - buffer.count
        if missing > 0 { buffer += [UInt8](repeating: 0, count: missing) }
        buffer.replaceSubrange(received..<(received + plain.readableBytes), with: plain.readableBytesView)
        received += plain.readableBytes
    }

    /// The answer's bytes, if all are there.
    var answer: UnsafeRawBufferPointer? {
        guard let expected, received >= expected else { return nil }
        return buffer.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<expected]) }
    }

    var answerText: String { String(decoding: buffer[..<received].prefix(600), as: UTF8.self) }

    /// Makes the connection ready for the next request.
    func end() {
        received = 0
        expected = nil
    }

    /// From the head; nil while it is not complete.
    private func wholeByteCount() -> Int? {
        buffer.withUnsafeBytes { bytes -> Int? in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<received])
            guard let end = bytes.end(of: Array("\r\n\r\n".utf8)) else { return nil }
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            let field = Self.lengthFields.lazy.compactMap { head.end(of: $0) }.first
            return end
                + (field.map { head[$0...].prefix { 0x30...0x39 ~= $0 } } ?? []).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    private static let lengthFields = ["\r\nContent-Length: ", "\r\ncontent-length: "].map { Array($0.utf8) }
}

extension UnsafeRawBufferPointer {
    /// The index after the first occurrence of some bytes; nil if there is none.
    func end(of text: [UInt8]) -> Int? {
        var start = 0
        while let base = baseAddress, start + text.count <= count,
            let found = memchr(base + start, Int32(text[0]), count - start)
        {
            let index = UnsafeRawPointer(found) - base
            guard index + text.count <= count else { return nil }
            if self[index..<(index + text.count)].elementsEqual(text) { return index + text.count }
            start = index + 1
        }
        return nil
    }
}
