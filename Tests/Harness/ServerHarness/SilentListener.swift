internal import Glibc

/// A program that listens, and says nothing.
package final class SilentListener: Sendable {
    package let port: Int
    private let file: Int32

    package init() throws {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let file = file
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(file, address, count) == 0 && listen(file, 1) == 0 && getsockname(file, address, &count) == 0
            }
        }
        guard isBound else { throw Unbound() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    private struct Unbound: Error {}

    deinit {
        close(file)
    }
}
