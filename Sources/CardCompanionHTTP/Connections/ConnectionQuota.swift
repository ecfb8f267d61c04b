internal import Logging
internal import Synchronization

/// A limit on the open connections of one address. Proxies that the operator trusts have none.
final class ConnectionQuota: Sendable {
    /// One open connection. It is free again when this value is released.
    final class Place: Sendable {
        private let quota: ConnectionQuota
        private let address: IPAddress?

        fileprivate init(_ quota: ConnectionQuota, _ address: IPAddress?) {
            self.quota = quota
            self.address = address
        }

        deinit {
            if let address { quota.release(address) }
        }
    }

    private let limit: Int
    private let proxies: [AddressRange]
    private let warning: RareWarning
    // As many addresses as there are open connections.
    private let open = Mutex<[IPAddress: Int]>([:])

    init(limit: Int, proxies: [AddressRange], logger: Logger) {
        warning = RareWarning(
            "An address has too many connections. If it is a proxy's, name it in http.proxies", logger)
        self.limit = limit
        self.proxies = proxies
    }

    /// A place for one more connection; nil if the address has too many.
    ///
    /// - Parameter address: nil if it is not known any more: then the connection is already closed.
    func place(for address: IPAddress?) -> Place? {
        guard let address, !proxies.contains(where: { $0.contains(address) }) else { return Place(self, nil) }
        let network = address.network
        let isFree = open.withLock { open in
            let count = open[network] ?? 0
            guard count < limit else { return false }
            open[network] = count + 1
            return true
        }
        if !isFree { warning.warn(network.text) }
        return isFree ? Place(self, network) : nil
    }

    private func release(_ network: IPAddress) {
        open.withLock { open in
            let count = (open[network] ?? 1) - 1
            open[network] = count == 0 ? nil : count
        }
    }
}
