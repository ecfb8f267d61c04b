internal import CardCompanion
internal import CardCompanionStore
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
        } catch let problem as Problem {
            response = try problem.response()
        } catch let error as ServiceUnavailable {
            context.logger.warning("Service unavailable", metadata: ["reason": "\(error)"])
            response = try Problem.unavailable(retryAfterSeconds: error.retryAfterSeconds).response()
        } catch let error as StoreError where error.isTemporary {
            context.logger.warning("Service unavailable", metadata: ["reason": "\(error)"])
            response = try Problem.unavailable(retryAfterSeconds: Self.storeRetryAfterSeconds).response()
        } catch let error as TooManyRequests {
            response = try Problem(
                .tooManyRequests, "Too many requests for this cardholder.",
                headers: [.retryAfter: String(error.retryAfterSeconds)]
            ).response()
        } catch let error as any HTTPResponseError {
            await RequestBodyReader.discard(request)
            response = try unrouted(request, error).response()
        } catch {
            response = try failed(error, context).response()
        }
        response.headers[.xRequestId] = context.requestId
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func failed(_ error: any Error, _ context: ServiceContext) -> Problem {
        if let unavailable = ServiceUnavailable(closedVault: error) {
            context.logger.warning("Service unavailable", metadata: ["reason": "\(unavailable)"])
            return .unavailable(retryAfterSeconds: unavailable.retryAfterSeconds)
        }
        context.logger.error("Internal server error", metadata: ["error": "\(error)"])
        return Problem(.internalServerError, "Internal server error.")
    }

    private func unrouted(_ request: Request, _ error: any HTTPResponseError) -> Problem {
        guard error.status == .notFound else { return Problem(error.status, error.status.reasonPhrase) }
        let allowed = methods.of(path: request.uri.path)
        guard !allowed.isEmpty else {
            return Problem(.notFound, "There is nothing at this path. /openapi.yaml lists all paths.")
        }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(.methodNotAllowed, "The method must be one of: \(names).", headers: [.allow: names])
    }

    private static let storeRetryAfterSeconds = 1
}

extension HTTPField.Name {
    static let xRequestId = parsed("X-Request-Id")
    static let retryAfter = parsed("Retry-After")

    static func parsed(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is not a field name") }
        return name
    }
}
