internal import CardCompanionModel
internal import CardCompanionStore
internal import HTTPTypes
internal import Hummingbird

/// What is done for every request around its route, from top to bottom. It is one middleware: each would add some calls, and a
/// connection keeps the memory of its deepest call until it ends.
struct ServiceMiddleware: RouterMiddleware {
    let metrics: RequestMetrics
    let origins: CrossOrigin
    let problems: ProblemAnswers
    /// How long a request waits for the database: it is answered 503 soon if the database hangs. What is streamed after the head of the
    /// answer, as in an import, has the limits of the statements.
    let databaseLimit: Duration

    init(_ routes: [Router<ServiceContext>.RouteDescription], _ settings: HTTPSettings) {
        metrics = RequestMetrics(routes)
        origins = CrossOrigin(settings.origins)
        problems = ProblemAnswers(methods: AllowedMethods(routes))
        databaseLimit = settings.databaseLimit
    }

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let begin = ContinuousClock.now
        let context = context.traced(by: request)
        var response =
            if let answer = origins.answerToQuestion(request) {
                answer
            } else {
                try await answer(request, context, next)
            }
        response.headers.append(contentsOf: origins.fields(for: request.head))
        let duration = begin.duration(to: .now)
        AccessLog.write(request, response, duration, to: context.logger)
        metrics.record(request, response, duration, context)
        return response
    }

    /// The route's answer, or the problem that says why there is none.
    private func answer(
        _ request: Request, _ context: ServiceContext, _ next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            guard HostRule.hasOneHost(request.head, isStream: context.channel.connection !== context.channel) else {
                await RequestBodyReader.discard(request)
                throw HostRule.refusal
            }
            response = try await Store.answering(within: databaseLimit) { try await next(request, context) }
        } catch {
            if error is any HTTPResponseError { await RequestBodyReader.discard(request) }
            response = try problems.response(to: error, request, context)
        }
        return problems.complete(response, to: request, context)
    }
}
