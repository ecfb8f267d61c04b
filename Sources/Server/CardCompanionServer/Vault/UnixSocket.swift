internal import Administration
internal import CLinux
internal import Foundation
internal import Glibc
package import SecureMemory

/// A local socket that keeps messages apart (SOCK_SEQPACKET). It belongs to one user.
package struct UnixSocket: ~Copyable {
    private let file: Int32
    /// The name that is removed at the end; nil if this end did not make it.
    private var path: String?

    /// How long a message can take.
    package static let messageLimit = Duration.seconds(60)
    private static let pause = Duration.milliseconds(20)

    private init(file: Int32) {
        self.file = file
    }

    deinit {
        close(file)
        if let path { unlink(path) }
    }

    /// Listens at a path, with mode 0600. Its folder is created if it does not exist.
    ///
    /// - Returns: nil if another process listens there.
    /// - Throws: ``CommandError`` if the path cannot be used.
    static func listening(at path: String) throws -> UnixSocket? {
        var socket = UnixSocket(file: try open())
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        guard (try? connected(to: path)) == nil else { return nil }
        unlink(path)
        try withAddress(path) { address, count in
            guard bind(socket.file, address, count) == 0, chmod(path, 0o600) == 0, listen(socket.file, 4) == 0 else {
                throw CommandError.configuration("vault.socket: \(path): \(String(cString: strerror(errno)))")
            }
        }
        socket.path = path
        return socket
    }

    /// - Throws: ``CommandError`` if nobody listens there.
    package static func connected(to path: String) throws -> UnixSocket {
        let socket = UnixSocket(file: try open())
        try withAddress(path) { address, count in
            guard connect(socket.file, address, count) == 0 else {
                throw CommandError.unavailable("no server listens at \(path): \(String(cString: strerror(errno)))")
            }
        }
        return socket
    }

    /// The next caller; nil if nobody calls now.
    func accepted() -> UnixSocket? {
        let caller = accept(file, nil, nil)
        guard caller >= 0 else { return nil }
        _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
        return UnixSocket(file: caller)
    }

    /// Whether the other end belongs to this process's user or to root.
    var isPeerAllowed: Bool {
        var user: UInt32 = 0
        return card_companion_peer_user(file, &user) == 0 && (user == geteuid() || user == 0)
    }

    package func send(_ message: borrowing SecretBytes) {
        message.withBytes { _ = Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next message; nil if there is none in time.
    package func receive(byteLimit: Int, within limit: Duration) async -> SharedSecret? {
        let end = ContinuousClock.now + limit
        repeat {
            var count = -1
            let message = SecretBytes(capacity: byteLimit) { buffer in
                count = recv(file, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                return max(0, count)
            }
            if count == 0 { return nil }
            if count > 0 { return SharedSecret(message) }
            guard errno == EAGAIN || errno == EINTR else { return nil }
        } while (try? await Task.sleep(for: Self.pause)) != nil && ContinuousClock.now < end
        return nil
    }

    private static func open() throws -> Int32 {
        let file = socket(
            AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else {
            throw CommandError.unavailable("no socket can be made: \(String(cString: strerror(errno)))")
        }
        return file
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw CommandError.configuration("vault.socket: the path is too long for a socket: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
