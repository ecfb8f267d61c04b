internal import Dispatch
internal import Foundation
internal import Glibc

/// A client connection that reads only on request. It tests what the server does when a client stops reading.
package final class SocketConnection: Sendable {
    /// The connection failed or was broken off.
    package struct Broken: Error {}

    private let socket: Int32

    /// Connects to a server, with small send and receive buffers on the client side.
    package init(to server: TestServer) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        for option in [SO_SNDBUF, SO_RCVBUF] {
            var size: Int32 = 65_536
            setsockopt(socket, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(server.port).bigEndian)
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Broken() }
    }

    deinit {
        Glibc.close(socket)
    }

    /// Sends as many bytes as the connection accepts without blocking.
    ///
    /// - Returns: the number of bytes sent.
    package func send(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        return try count >= 0 ? count : nothingYet()
    }

    /// Sends all bytes, without a time limit.
    package func sendAll(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try send(rest)
            rest = rest.dropFirst(count)
            if count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// Sends bytes each second while `body` runs. A thread of its own does that: Swift's threads can be busy for longer than a server
    /// waits for a client.
    package func sending<Result>(_ bytes: [UInt8], _ body: () async throws -> Result) async rethrows -> Result {
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while isOver.wait(timeout: .now() + 1) == .timedOut {
                var rest = bytes[...]
                while !rest.isEmpty {
                    guard let count = try? self.send(rest) else { return }
                    rest = rest.dropFirst(count)
                    if count == 0 { Thread.sleep(forTimeInterval: 0.005) }
                }
            }
        }
        defer { isOver.signal() }
        return try await body()
    }

    /// Shuts the connection down at once.
    package func breakOff() {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Reads what has arrived, without blocking.
    ///
    /// - Returns: an empty array if nothing has arrived yet; nil at the end of the stream.
    package func receive() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count == 0 { return nil }
        return try Array(buffer.prefix(count > 0 ? count : nothingYet()))
    }

    private func nothingYet() throws -> Int {
        guard errno == EAGAIN || errno == EWOULDBLOCK else { throw Broken() }
        return 0
    }
}
