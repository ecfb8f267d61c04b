internal import Foundation
internal import HTTPTypes
public import Hummingbird

/// What has no code of the protocol: an HTTP problem (RFC 9457).
public struct Problem: Error {
    /// A member that cannot be taken, and why.
    struct InvalidMember: Encodable, Equatable {
        let member: String
        let reason: String
    }

    /// The HTTP status.
    public let status: HTTPResponse.Status
    /// The kind of problem, where the status alone does not tell it: the end of its URN.
    let kind: String?
    /// What is wrong with this request, for people.
    public let detail: String
    /// Each member that cannot be taken.
    let invalid: [InvalidMember]
    /// What a signature was checked against, for who made it.
    let signatureBase: String?
    /// Fields that the answer carries, such as `Allow` and `Retry-After`.
    public let headers: HTTPFields

    init(
        _ status: HTTPResponse.Status, _ detail: String, kind: String? = nil, invalid: [InvalidMember] = [],
        signatureBase: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.kind = kind
        self.detail = detail
        self.invalid = invalid
        self.signatureBase = signatureBase
        self.headers = headers
    }

    static func unavailable(retryAfterSeconds: Int) -> Problem {
        Problem(
            .serviceUnavailable, "The service is out of reach for a moment.",
            headers: [.retryAfter: String(retryAfterSeconds)])
    }

    /// The answer.
    func response() throws -> Response {
        let body = Body(
            // Without a kind of its own a problem is its status: RFC 9457 section 4.2.1.
            type: kind.map { "urn:card-companion:problem:\($0)" } ?? "about:blank", title: status.reasonPhrase,
            status: status.code, detail: detail, invalid: invalid.isEmpty ? nil : invalid, signatureBase: signatureBase)
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: try .json(body))
    }

    private struct Body: Encodable {
        let type: String
        let title: String
        let status: Int
        let detail: String
        let invalid: [InvalidMember]?
        let signatureBase: String?
    }
}

/// A value as JSON, its members in the order of their names.
func encodeJSON(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
}

extension ResponseBody {
    /// See ``encodeJSON(_:)``.
    static func json(_ value: some Encodable) throws -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: try encodeJSON(value)))
    }
}
