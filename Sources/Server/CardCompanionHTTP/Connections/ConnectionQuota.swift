internal import CardCompanion
internal import Logging
internal import Synchronization

/// A limit on the open connections, or on the open streams of HTTP/2, of one address and of all. Proxies that the operator trusts
/// only have the limit of all.
final class ConnectionQuota: Sendable {
    /// One open connection. It is free again when this value is released.
    final class Place: Sendable {
        private let quota: ConnectionQuota
        /// Nil if it is a proxy's.
        private let network: IPAddress?
        private let isCounted: Bool

        fileprivate init(_ quota: ConnectionQuota, _ network: IPAddress?, isCounted: Bool) {
            self.quota = quota
            self.network = network
            self.isCounted = isCounted
        }

        deinit {
            if isCounted { quota.release(network) }
        }
    }

    private struct Open {
        // As many addresses as there are open connections.
        var ofAddresses: [IPAddress: Int] = [:]
        var total = 0
    }

    private let limit: Int
    private let totalLimit: Int
    private let proxies: [AddressRange]
    private let warning: RareWarning
    private let open = Mutex(Open())

    /// - Parameters:
    ///   - name: what is counted, for the log.
    ///   - totalLimit: nil if the listener itself has one.
    init(of name: String, limit: Int, totalLimit: Int? = nil, proxies: [AddressRange], logger: Logger) {
        warning = RareWarning(
            "An address has too many \(name). If it is a proxy, add it to http.proxies", logger)
        self.limit = limit
        self.totalLimit = totalLimit ?? .max
        self.proxies = proxies
    }

    /// A place for one more connection; nil if the address, or all together, have too many.
    ///
    /// - Parameter address: nil if it is not known any more: then the connection is already closed.
    func place(for address: IPAddress?) -> Place? {
        guard let address else { return Place(self, nil, isCounted: false) }
        let network = proxies.contains { $0.contains(address) } ? nil : address.network
        let isFree = open.withLock { open in
            guard open.total < totalLimit else { return false }
            if let network {
                let count = open.ofAddresses[network] ?? 0
                guard count < limit else { return false }
                open.ofAddresses[network] = count + 1
            }
            open.total += 1
            return true
        }
        if !isFree { warning.warn(["address": "\(address.network.text)"]) }
        return isFree ? Place(self, network, isCounted: true) : nil
    }

    private func release(_ network: IPAddress?) {
        open.withLock { open in
            open.total -= 1
            guard let network else { return }
            let count = (open.ofAddresses[network] ?? 1) - 1
            open.ofAddresses[network] = count == 0 ? nil : count
        }
    }
}
