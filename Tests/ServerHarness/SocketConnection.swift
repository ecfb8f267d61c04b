internal import Foundation
internal import Glibc

/// A connection whose client reads only when it is told to: for what happens when it does not.
public final class SocketConnection: Sendable {
    /// The connection could not be made, or was broken off.
    public struct Broken: Error {}

    private let socket: Int32

    /// Connects to a server. What was sent is not buffered much on the client's side, nor what was received.
    public init(to server: TestServer) throws {
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

    /// Sends as much as the connection takes without waiting.
    ///
    /// - Returns: how many bytes.
    public func send(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        return try count >= 0 ? count : nothingYet()
    }

    /// Sends all of it, however long the server takes.
    public func sendAll(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try send(rest)
            rest = rest.dropFirst(count)
            if count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// Ends the connection without a word.
    public func breakOff() {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// What has arrived, nothing where the connection still waits.
    ///
    /// - Returns: nil at the end.
    public func receive() throws -> [UInt8]? {
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
