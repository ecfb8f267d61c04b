internal import CardCompanion
internal import Hummingbird
internal import Logging

/// Logs one line per request at debug level. From the client, it contains only method and path.
struct AccessLogMiddleware: RouterMiddleware {
    /// How much of a path is logged, in characters.
    private static let pathLimit = 200

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
        context.logger.debug(
            "Request",
            metadata: [
                "method": "\(request.method.rawValue)",
                "path": "\(ClientText.quoted(request.uri.path, limit: Self.pathLimit))",
                "status": "\(response.status.code)",
                "milliseconds": "\(Int(elapsed.rounded()))",
            ])
        return response
    }
}
