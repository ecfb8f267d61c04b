internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Answers only requests for a name of this machine. Otherwise a page in a browser on this machine could read the metrics, under a
/// name of its own that leads here (DNS rebinding). A client without Host is no browser.
struct OwnNameMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    private static let hostLimit = 200

    /// Where the listener is bound. It is a name of this machine too.
    let host: String

    /// - Returns: nil if the listener is bound to another address than loopback: then no name is known.
    init?(host: String) {
        let address = IPAddress(host)
        guard address == nil || address?.isLoopback == true else { return nil }
        self.host = address?.isIPv4 == false ? "[\(host)]" : host
    }

    /// Whether a Host, with or without a port, is a name of this machine.
    func isOwn(_ authority: String) -> Bool { OwnMachine.isName(authority, or: host) }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let names = [request.head.authority].compactMap(\.self) + request.headers[values: .host]
        if let other = names.first(where: { !isOwn($0) }) {
            context.logger.debug(
                "A request for metrics was refused, because its Host is no name of this machine",
                metadata: ["host": "\(ClientText.quoted(other, limit: Self.hostLimit))"])
            let refusal = try Problem(
                .misdirectedRequest,
                "Host must be localhost, 127.0.0.1, [::1], or the name in the setting admin.host, with or without a port."
            ).response()
            return request.method == .head ? refusal.createHeadResponse() : refusal
        }
        return try await next(request, context)
    }
}
