internal import Hummingbird

/// The end point of document verification (document 003, "WebSocket Endpoint").
struct DocumentSessionRoutes {
    static let path = "/ws2/validate"

    let sessions: DocumentSessions

    func add(to router: Router<ServiceContext>) {
        let sessions = sessions
        router.get(RouterPath(Self.path)) { request, context in try await sessions.open(request, context) }
    }
}
