internal import HTTPTypes
internal import Hummingbird

/// Refuses a request that names more than one host (RFC 9112 section 3.2, RFC 9113 section 8.3.1): a proxy in front could have gone
/// by the other name.
struct HostMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard Self.hasOneHost(request.head, isStream: context.channel.connection !== context.channel) else {
            await RequestBodyReader.discard(request)
            throw Problem(
                .badRequest, "The request must have one Host field, and the same name in :authority if it has that.")
        }
        return try await next(request, context)
    }

    /// The first Host field of HTTP/1.1 is the authority, and not among the fields. In HTTP/2 the authority is `:authority`.
    private static func hasOneHost(_ head: HTTPRequest, isStream: Bool) -> Bool {
        let hosts = head.headerFields[values: .host]
        guard isStream else { return hosts.isEmpty }
        guard let host = hosts.first else { return true }
        return hosts.count == 1 && (head.authority.map { $0.lowercased() == host.lowercased() } ?? true)
    }
}

extension HTTPField.Name {
    static let host = parsed("Host")
}
