internal import Foundation
internal import HTTPTypes
public import Hummingbird

/// What has no code of the protocol: an HTTP problem (RFC 9457).
public struct Problem: Error {
    /// The HTTP status.
    public let status: HTTPResponse.Status
    /// What is wrong with this request, for people.
    public let detail: String
    /// Fields that the answer carries, such as `Allow` and `Retry-After`.
    public let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.detail = detail
        self.headers = headers
    }

    static func unavailable(retryAfterSeconds: Int) -> Problem {
        Problem(
            .serviceUnavailable, "The service is out of reach for a moment.",
            headers: [.retryAfter: String(retryAfterSeconds)])
    }

    /// The answer.
    func response() throws -> Response {
        let body = Body(title: status.reasonPhrase, status: status.code, detail: detail)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: try .json(body))
    }

    private struct Body: Encodable {
        // The kind of problem is its status: RFC 9457 section 4.2.1.
        let type = "about:blank"
        let title: String
        let status: Int
        let detail: String
    }
}

extension ResponseBody {
    /// A value as JSON, its members in the order of their names.
    static func json(_ value: some Encodable) throws -> ResponseBody {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value)))
    }
}
