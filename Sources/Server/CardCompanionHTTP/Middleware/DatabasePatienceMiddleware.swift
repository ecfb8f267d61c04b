internal import CardCompanionModel
internal import CardCompanionStore
internal import Hummingbird

/// Limits how long a request waits for the database: it is answered 503 soon if the database hangs. What is streamed after the
/// head of the answer, as in an import, has the limits of the statements.
struct DatabasePatienceMiddleware: RouterMiddleware {
    let limit: Duration

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        try await Store.answering(within: limit) { try await next(request, context) }
    }
}
