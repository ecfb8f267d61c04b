internal import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Turns what a handler throws into an HTTP problem, and gives every answer the fields that all have.
struct ProblemMiddleware: RouterMiddleware {
    /// The methods of each path, to tell a wrong method from a wrong path.
    let methods: [String: [HTTPRequest.Method]]
    /// The methods of a path of the issuer's; nil for every other path.
    let issuerMethods: @Sendable (_ path: String) -> [HTTPRequest.Method]?

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let problem as Problem {
            response = try problem.response()
        } catch let error as ServiceUnavailable {
            context.logger.warning("Unavailable", metadata: ["reason": "\(error)"])
            response = try Problem.unavailable(retryAfterSeconds: error.retryAfterSeconds).response()
        } catch let error as TooManyRequests {
            response = try Problem(
                .tooManyRequests, "There were too many requests for this cardholder.",
                headers: [.retryAfter: String(error.retryAfterSeconds)]
            ).response()
        } catch let error as any HTTPResponseError {
            await RequestBodyReader.discard(request)
            response = try unrouted(request, error).response()
        } catch {
            context.logger.error("A fault of the server's", metadata: ["error": "\(error)"])
            response = try Problem(.internalServerError, "The fault is the server's.").response()
        }
        response.headers[.xRequestId] = context.requestId
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The path as the router takes it: a slash at its end does not count.
    private func path(of request: Request) -> String {
        let path = request.uri.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private func unrouted(_ request: Request, _ error: any HTTPResponseError) -> Problem {
        guard error.status == .notFound else { return Problem(error.status, error.status.reasonPhrase) }
        let path = path(of: request)
        guard let allowed = methods[path] ?? issuerMethods(path) else {
            return Problem(.notFound, "There is nothing at this path; /openapi.yaml says what there is.")
        }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(.methodNotAllowed, "The method is to be \(names).", headers: [.allow: names])
    }
}

extension HTTPField.Name {
    static let xRequestId = parsed("X-Request-Id")
    static let retryAfter = parsed("Retry-After")

    static func parsed(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is no field name") }
        return name
    }
}
