import CardCompanionHTTP
import CardCompanionServer
import Glibc

// Whether the server can listen at its address.

extension ServerSettings {
    /// The port: free, the server's own, or another program's.
    func portFindings() async -> [Finding] {
        let place = "\(http.host), port \(http.port)"
        guard let problem = http.address.problem() else {
            return [.ok("port", "the server can listen at \(place)")]
        }
        let server = LocalServer(http)
        if let readiness = try? await server.readiness(), readiness.isOurs {
            guard readiness.isReady else { return [server.refusal(readiness)] }
            return [.ok("port", "a server serves requests at \(server.url)")]
        }
        switch problem {
        case .refused(EADDRINUSE):
            return [
                .error(
                    "port", "something listens at \(place), but no card-companion with these settings answers",
                    do: "find it with 'ss -ltnp sport = :\(http.port)' as root and stop it, or set http.port")
            ]
        case .refused(EACCES):
            return [
                .warning(
                    "port", "this user may not listen at \(place)",
                    do:
                        "see that the systemd unit has AmbientCapabilities=CAP_NET_BIND_SERVICE, or set http.port to 1024 or more"
                )
            ]
        case .unknownHost:
            return [
                .error(
                    "port", "no address was found for http.host, \(http.host)",
                    do: "set http.host to an address of this machine")
            ]
        case .refused(let number):
            return [
                .error(
                    "port", "nobody can listen at \(place): \(String(cString: strerror(number)))",
                    do: "set http.host to an address of this machine")
            ]
        }
    }
}

extension LocalServer {
    fileprivate func refusal(_ readiness: Readiness) -> Finding {
        .error(
            "port", "the server at \(url) does not serve requests: \(readiness.reason ?? "it does not say why")",
            do: "see its log. If its vault waits for a PIN, enter it with 'card-companion vault unseal'")
    }
}
