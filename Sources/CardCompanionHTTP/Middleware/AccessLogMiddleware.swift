internal import Hummingbird
internal import Logging

/// One line a request at debug level: no body, no query, nothing that a client chose but method and path.
struct AccessLogMiddleware: RouterMiddleware {
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
                "path": "\(request.uri.path.prefix(200))",
                "status": "\(response.status.code)",
                "milliseconds": "\(Int(elapsed.rounded()))",
            ])
        return response
    }
}
