internal import HTTPTypes
internal import Hummingbird

/// Which web pages can call the apps' operations (CORS, Fetch Standard section 3.2). Other operations are never offered to pages, and
/// no page may send cookies.
struct CrossOrigin: Sendable {
    /// How long a browser remembers the answer to its question.
    private static let rememberedSeconds = 600

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

    /// The answer to a browser's question what a page can send; nil for every other request.
    func answerToQuestion(_ request: Request) -> Response? {
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil,
            let method = Self.method(of: request.uri.path), origin(of: request.head) != nil
        else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: method.rawValue, .accessControlAllowHeaders: "Content-Type",
                .accessControlMaxAge: "\(Self.rememberedSeconds)",
            ])
    }
}
