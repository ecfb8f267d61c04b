internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Synchronization

/// Limits what an address can cost the server without proof of who it is: keypads, sessions of document verification, and failed
/// authentication. Requests whose callers are authenticated cost nothing, because many honest users can share the address of their
/// network's operator.
final class CallerLimits: Sendable {
    /// How many unknown document clients an address can name in a burst.
    private static let unknownClients = 10

    private let proxies: [AddressRange]
    private let rate: TokenBucket.Rate
    private let buckets: Mutex<AddressBuckets>
    private let warning: RareWarning

    init(_ rate: TokenBucket.Rate, proxies: [AddressRange], logger: Logger) {
        warning = RareWarning(
            "An address asks for too many keypads, or fails too often. If it is a proxy, add it to http.proxies",
            logger)
        self.proxies = proxies
        self.rate = rate
        buckets = Mutex(AddressBuckets(rate, at: .now))
    }

    /// Charges a request to the address that sent it.
    ///
    /// - Throws: ``Problem`` 429 if the address has asked too often.
    func charge(_ request: Request, _ context: ServiceContext) throws(Problem) {
        guard let address = address(of: request, context),
            let seconds = buckets.withLock({ $0.charge(address, at: .now) })
        else { return }
        warning.warn(["address": "\(address.network.text)"])
        throw Problem(
            .tooManyRequests, "Too many keypads, document sessions or failed attempts from your network address.",
            headers: [.retryAfter: String(seconds)])
    }

    /// Charges an address that has named an unknown document client, which has cost a look-up in the database. The tokens need not
    /// be there, so the address then waits before its next session. So one address cannot use up the look-ups of all.
    func chargeUnknownClient(to address: IPAddress?) {
        guard let address else { return }
        buckets.withLock { $0.owe(max(1, rate.burst / Self.unknownClients), by: address, at: .now) }
    }

    /// Who sent a request; nil if the connection is closed.
    func address(of request: Request, _ context: ServiceContext) -> IPAddress? {
        context.channel.remoteAddress.flatMap(IPAddress.init).map {
            ForwardedAddresses.client(peer: $0, request.headers, proxies: proxies)
        }
    }
}
