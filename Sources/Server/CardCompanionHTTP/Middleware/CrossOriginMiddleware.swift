internal import HTTPTypes
internal import Hummingbird

/// Lets pages of named origins call the apps' operations (CORS, Fetch Standard section 3.2). Other operations are never offered to
/// pages, and no page may send cookies.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: Set<String>

    /// How long a browser remembers the answer to its question.
    private static let rememberedSeconds = 600

    init(_ origins: [WebOrigin]) {
        self.origins = Set(origins.map(\.text))
    }

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let method = Self.method(of: request.uri.path) else { return try await next(request, context) }
        let origin = request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
        var response =
            if let origin, request.method == .options, request.headers[.accessControlRequestMethod] != nil {
                Self.answer(for: origin, method)
            } else {
                try await next(request, context)
            }
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        if let origin {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "Retry-After, X-Request-Id"
        }
        return response
    }

    /// The method of an operation for apps; nil for every other path.
    private static func method(of path: String) -> HTTPRequest.Method? {
        if path == "/.well-known/jwks.json" { return .get }
        return path.hasPrefix("/v1/pin-distribution/") || path.hasPrefix("/v1/pin-definition/") ? .post : nil
    }

    /// What a browser wants to know before it sends the page's request.
    private static func answer(for origin: String, _ method: HTTPRequest.Method) -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: method.rawValue, .accessControlAllowHeaders: "Content-Type",
                .accessControlMaxAge: "\(rememberedSeconds)",
            ])
    }
}
