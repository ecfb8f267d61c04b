import CardCompanionHTTP
import CardCompanionServer
import Glibc

// Whether the server can listen at its address.

extension ServerSettings {
    /// The port: free, the server's own, or another program's.
    func portFindings() async -> [Finding] {
        let place = "\(http.host), port \(http.port)"
        guard http.port != 0, let failure = Self.bindFailure(http.host, http.port) else {
            return [.ok("port", "the server can listen at \(place)")]
        }
        let server = LocalServer(http)
        if (try? await server.readiness())?.isOurs == true { return [.ok("port", "a server answers at \(server.url)")] }
        switch failure {
        case EADDRINUSE:
            return [
                .error(
                    "port", "something listens at \(place), but no card-companion with these settings answers",
                    do: "find it with 'ss -ltnp sport = :\(http.port)' as root and stop it, or set http.port")
            ]
        case EACCES:
            return [
                .warning(
                    "port", "this user may not listen at \(place)",
                    do:
                        "see that the systemd unit has AmbientCapabilities=CAP_NET_BIND_SERVICE, or set http.port to 1024 or more"
                )
            ]
        default:
            return [
                .error(
                    "port", "nobody can listen at \(place): \(String(cString: strerror(failure)))",
                    do: "set http.host to an address of this machine")
            ]
        }
    }

    /// Tries to take the address for a moment.
    ///
    /// - Returns: `errno`; nil if it can.
    private static func bindFailure(_ host: String, _ port: Int) -> Int32? {
        var hints = addrinfo()
        (hints.ai_flags, hints.ai_socktype) = (AI_PASSIVE, Int32(SOCK_STREAM.rawValue))
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found?.pointee else {
            return EADDRNOTAVAIL
        }
        defer { freeaddrinfo(found) }
        let file = socket(first.ai_family, first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), first.ai_protocol)
        guard file >= 0 else { return errno }
        defer { close(file) }
        // As the server does, so that connections that have just ended do not count.
        var yes: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(file, first.ai_addr, first.ai_addrlen) == 0 else { return errno }
        return nil
    }
}
