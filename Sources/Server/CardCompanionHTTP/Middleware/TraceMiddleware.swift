internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Adds the client's trace to the lines that the log has of a request. Nobody vouches for it, so the audit trail does not have
/// it: there the request's own id counts.
struct TraceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let fields = request.headers[values: .traceParent]
        guard let first = fields.first, fields.count == 1, let trace = TraceParent(first) else {
            return try await next(request, context)
        }
        var context = context
        context.logger[metadataKey: "traceparent"] = "\(trace.text)"
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    fileprivate static let traceParent = parsed("traceparent")
}
