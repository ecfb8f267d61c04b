internal import Administration
package import CardCompanionHTTP
internal import Glibc

/// An address where the server listens for connections.
package struct ListeningAddress: Sendable {
    /// Why nobody can listen there.
    package enum Problem: Error, Equatable {
        case unknownHost
        /// The `errno`.
        case refused(Int32)
    }

    /// The settings of its host and port begin with it.
    let setting: String
    let host: String
    /// 0 for any that is free.
    let port: Int

    package init(setting: String, host: String, port: Int) {
        (self.setting, self.host, self.port) = (setting, host, port)
    }

    /// Tries to listen there for a moment.
    ///
    /// - Returns: nil if the server can.
    package func problem() -> Problem? {
        var hints = addrinfo()
        (hints.ai_flags, hints.ai_socktype) = (AI_PASSIVE, Int32(SOCK_STREAM.rawValue))
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found?.pointee else { return .unknownHost }
        defer { freeaddrinfo(found) }
        let file = socket(first.ai_family, first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), first.ai_protocol)
        guard file >= 0 else { return .refused(errno) }
        defer { close(file) }
        // As the server does, so that connections that have just ended do not count.
        var yes: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(file, first.ai_addr, first.ai_addrlen) == 0 else { return .refused(errno) }
        return nil
    }

    /// What an operator is told: where, why, and which setting to change.
    func error(_ problem: Problem) -> CommandError {
        let place = "\(host) port \(port)"
        return switch problem {
        case .unknownHost:
            .configuration("cannot listen on \(place): no address was found for \(setting).host")
        case .refused(EADDRINUSE):
            .configuration("cannot listen on \(place): another program listens there. Stop it, or set \(setting).port")
        case .refused(let number):
            .configuration(
                "cannot listen on \(place): \(String(cString: strerror(number))). Set \(setting).host to an address of this "
                    + "machine, and \(setting).port to a port that this user may use")
        }
    }
}

// MARK: - Where the server listens

extension ServerSettings {
    /// All addresses where the server listens.
    var addresses: [ListeningAddress] { [http.address, admin?.address].compactMap(\.self) }
}

extension HTTPSettings {
    package var address: ListeningAddress { ListeningAddress(setting: "http", host: host, port: port) }
}

extension AdminSettings {
    var address: ListeningAddress { ListeningAddress(setting: "admin", host: host, port: port) }
}
