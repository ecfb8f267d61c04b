internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Turns errors of handlers into HTTP problems, and adds the fields that every answer has.
struct ProblemMiddleware: RouterMiddleware {
    let methods: AllowedMethods

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            await RequestBodyReader.discard(request)
            response = try unrouted(request, error).response()
        } catch {
            let problem = Problem(error)
            log(error, problem, context)
            response = try problem.response()
        }
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
