internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Synchronization

/// Limits what an address can cost the server without proof of who it is: keypads, sessions of document verification, and failed
/// authentication. Requests whose callers are authenticated cost nothing, because many honest users can share the address of their
/// network's operator.
final class CallerLimits: Sendable {
    private let proxies: [AddressRange]
    private let buckets: Mutex<AddressBuckets>
    private let warning: RareWarning

    init(_ rate: TokenBucket.Rate, proxies: [AddressRange], logger: Logger) {
        warning = RareWarning(
            "An address asks for too many keypads, or fails too often. If it is a proxy, add it to http.proxies",
            logger)
        self.proxies = proxies
        buckets = Mutex(AddressBuckets(rate, at: .now))
    }

    /// Charges a request to the address that sent it.
    ///
    /// - Throws: ``Problem`` 429 if the address has asked too often.
    func charge(_ request: Request, _ context: ServiceContext) throws(Problem) {
        guard let address = address(of: request, context),
            let seconds = buckets.withLock({ $0.charge(address, at: .now) })
        else { return }
        warning.warn(address.network.text)
        throw Problem(
            .tooManyRequests, "Too many keypads, document sessions or failed attempts from your network address.",
            headers: [.retryAfter: String(seconds)])
    }

    /// Who sent a request; nil if the connection is closed.
    func address(of request: Request, _ context: ServiceContext) -> IPAddress? {
        context.channel.remoteAddress.flatMap(IPAddress.init).map {
            ForwardedAddresses.client(peer: $0, request.headers, proxies: proxies)
        }
    }
}
