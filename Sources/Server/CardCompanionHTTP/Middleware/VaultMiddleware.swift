internal import CardCompanion
internal import Hummingbird

/// Answers 503 while the server has no keys. Only its liveness is told.
struct VaultMiddleware: RouterMiddleware {
    let vault: VaultWatch

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path != PublicRoutes.livenessPath else { return try await next(request, context) }
        do {
            try vault.requireOpen()
        } catch {
            await RequestBodyReader.discard(request)
            throw error
        }
        return try await next(request, context)
    }
}
