internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// What a client gets if its request fails, and the fields that every answer has.
struct ProblemAnswers: Sendable {
    let methods: AllowedMethods

    /// The problem that says why a request was not served.
    func response(to error: any Error, _ request: Request, _ context: ServiceContext) throws -> Response {
        if let error = error as? any HTTPResponseError { return try unrouted(request, error).response() }
        let problem = Problem(error)
        log(error, problem, context)
        return try problem.response()
    }

    /// An answer with the fields that every answer has.
    func complete(_ answer: Response, to request: Request, _ context: ServiceContext) -> Response {
        var response = answer
        response.headers[.xRequestId] = context.requestId
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func log(_ error: any Error, _ problem: Problem, _ context: ServiceContext) {
        if problem.isFault {
            context.logger.error("Internal server error", metadata: ["error": "\(error)"])
        } else if problem.status == .serviceUnavailable, !(error is Problem), !(error is Overloaded) {
            context.logger.warning("Service unavailable", metadata: ["reason": "\(error)"])
        }
    }

    private func unrouted(_ request: Request, _ error: any HTTPResponseError) -> Problem {
        guard error.status == .notFound else { return Problem(error) }
        let allowed = methods.of(path: request.uri.path)
        guard !allowed.isEmpty else {
            return Problem(.notFound, "There is nothing at this path. /openapi.yaml lists all paths.")
        }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(.methodNotAllowed, "The method must be one of: \(names).", headers: [.allow: names])
    }
}

extension HTTPField.Name {
    static let xRequestId = parsed("X-Request-Id")
    static let retryAfter = parsed("Retry-After")

    static func parsed(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is not a field name") }
        return name
    }
}
