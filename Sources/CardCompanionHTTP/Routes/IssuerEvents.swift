internal import CardCompanion
internal import CardCompanionStore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SecureMemory

extension IssuerRoutes {
    func getEvents(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let bank = try await authenticate(
            request, context, SharedSecret(try await RequestBodyReader.collect(request)))
        let query = request.uri.queryParameters
        let position = try Self.position(query["after"])
        let limit = try Self.number(query["limit"], "limit", EventFeed.limits) ?? 100
        let wait = try Self.number(query["wait"], "wait", 0...EventFeed.waitLimitSeconds) ?? 0
        let events: [EventRecord]
        do {
            events = try await parts.events.events(
                bankId: bank.id, after: position, limit: limit, waitSeconds: wait)
        } catch is UnknownEventPosition {
            throw Self.badCursor
        }
        let page = EventPage(bankId: bank.id, events: events, next: events.last?.position ?? position)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.json)))
    }

    private static let badCursor = Problem(
        .badRequest, "'after' must be the 'next' of an earlier answer.", kind: "query")

    private static func position(_ text: Substring?) throws -> Int64 {
        guard let text else { return 0 }
        guard let position = Int64(text), position >= 0 else {
            throw badCursor
        }
        return position
    }

    static func number(_ text: Substring?, _ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range ~= number else {
            throw Problem(
                .badRequest, "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound).",
                kind: "query")
        }
        return number
    }
}
