internal import HTTPTypes
internal import Hummingbird

/// Which web pages can call the apps' operations (CORS, Fetch Standard section 3.2). Other operations are never offered to pages, and
/// no page may send cookies.
struct CrossOrigin: Sendable {
    let origins: Set<String>

    init(_ origins: [WebOrigin]) {
        self.origins = Set(origins.map(\.text))
    }

    /// The fields of each answer to a request, for the browser.
    func fields(for head: HTTPRequest) -> HTTPFields {
        guard !origins.isEmpty, Self.method(of: (head.path ?? "").prefix { $0 != "?" }) != nil else { return [:] }
        var fields: HTTPFields = [.vary: "Origin"]
        if let origin = origin(of: head) {
            fields[.accessControlAllowOrigin] = origin
            fields[.accessControlExposeHeaders] = "Retry-After, X-Request-Id"
        }
        return fields
    }

    /// The page's origin if it can call.
    func origin(of head: HTTPRequest) -> String? {
        head.headerFields[.origin].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// The method of an operation for apps; nil for every other path.
    static func method(of path: some StringProtocol) -> HTTPRequest.Method? {
        if path == "/.well-known/jwks.json" { return .get }
        return path.hasPrefix("/v1/pin-distribution/") || path.hasPrefix("/v1/pin-definition/") ? .post : nil
    }
}

/// Lets pages of named origins call the apps' operations.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: CrossOrigin

    /// How long a browser remembers the answer to its question.
    private static let rememberedSeconds = 600

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let method = CrossOrigin.method(of: request.uri.path) else { return try await next(request, context) }
        let isQuestion = request.method == .options && request.headers[.accessControlRequestMethod] != nil
        var response =
            if isQuestion, origins.origin(of: request.head) != nil {
                Self.answer(method)
            } else {
                try await next(request, context)
            }
        response.headers.append(contentsOf: origins.fields(for: request.head))
        return response
    }

    /// What a browser wants to know before it sends the page's request.
    private static func answer(_ method: HTTPRequest.Method) -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: method.rawValue, .accessControlAllowHeaders: "Content-Type",
                .accessControlMaxAge: "\(rememberedSeconds)",
            ])
    }
}
