internal import CardCompanion
internal import CardCompanionModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SecureMemory

extension IssuerRoutes {
    func getEvents(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let body = SharedSecret(try await RequestBodyReader.collect(request))
        // A wait for events takes no place.
        let bank = try await admission.serve(.backEnd) { try await authenticate(request, context, body) }
        let query = request.uri.queryParameters
        let position = try Self.position(query["after"])
        let limit = try Self.number(query["limit"], "limit", EventFeed.limits) ?? 100
        let wait = try Self.number(query["wait"], "wait", 0...EventFeed.waitLimitSeconds) ?? 0
        let events: [EventRecord]
        do {
            events = try await parts.events.events(
                bankId: bank.id, after: position, limit: limit, waitSeconds: wait
            ) { draining.isUnderWay || !context.channel.isActive }
        } catch is UnknownEventPosition {
            throw Self.badCursor
        } catch let lost as LostEvents {
            throw Problem(
                .gone, "Events after this cursor were removed before they were acknowledged. Continue after 'oldest'.",
                kind: "events-removed", oldest: "\(lost.oldest)")
        }
        let page = EventPage(
            bankId: bank.id, after: position, events: events, next: events.last?.position ?? position
        ).json
        var headers: HTTPFields = [.contentType: "application/json"]
        for (name, value) in try parts.events.signedFields(of: page) { headers[.parsed(name)] = value }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: page)))
    }

    func acknowledgeEvents(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let caller = try await caller(request, context, body)
        guard let cursor = request.uri.queryParameters["upTo"].flatMap({ Int64($0) }), cursor >= 0 else {
            throw Problem(.badRequest, "'upTo' must be the 'next' of an earlier answer.", kind: "query")
        }
        do {
            try await parts.events.acknowledge(bankId: caller.bank.id, upTo: cursor, by: caller.keyId)
        } catch is UnknownEventPosition {
            throw Problem(
                .conflict, "The cursor is not from an answer to this bank. Nothing was acknowledged.", kind: "cursor")
        }
        return Response(status: .noContent)
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
