internal import HTTPTypes
internal import Hummingbird
internal import Logging

extension ServiceContext {
    /// The same, with the client's trace in the lines that the log has of the request. Nobody vouches for it, so the audit trail does
    /// not have it: there the request's own id counts.
    func traced(by request: Request) -> ServiceContext {
        let fields = request.headers[values: .traceParent]
        guard let first = fields.first, fields.count == 1, let trace = TraceParent(first) else { return self }
        var context = self
        context.logger[metadataKey: "traceparent"] = "\(trace.text)"
        return context
    }
}

extension HTTPField.Name {
    fileprivate static let traceParent = parsed("traceparent")
}
