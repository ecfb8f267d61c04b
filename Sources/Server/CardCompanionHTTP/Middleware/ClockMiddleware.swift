internal import CardCompanion
internal import Hummingbird

/// Answers 503 while the server's clock is wrong.
struct ClockMiddleware: RouterMiddleware {
    let clock: ClockWatch

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            try clock.requireRightClock()
        } catch {
            await RequestBodyReader.discard(request)
            throw error
        }
        return try await next(request, context)
    }
}
