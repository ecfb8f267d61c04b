internal import Foundation
package import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// An answer without a code of the protocol: an HTTP problem (RFC 9457).
package struct Problem: Error {
    /// A member that is refused, and why.
    struct InvalidMember: Encodable, Equatable {
        let member: String
        let reason: String
    }

    package let status: HTTPResponse.Status
    /// The end of the problem's URN; nil if the status says enough.
    let kind: String?
    /// What is wrong with the request, for people.
    package let detail: String
    let invalid: [InvalidMember]
    /// What the signature was verified against.
    let signatureBase: String?
    /// The cursor after which all events are there.
    let oldest: String?
    /// Fields of the answer, such as `Allow` and `Retry-After`.
    package private(set) var headers: HTTPFields
    /// The body, if it was written before.
    private var body: ByteBuffer?

    package init(_ status: HTTPResponse.Status, _ detail: String) {
        self.init(status, detail, kind: nil)
    }

    init(
        _ status: HTTPResponse.Status, _ detail: String, kind: String? = nil, invalid: [InvalidMember] = [],
        signatureBase: String? = nil, oldest: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.kind = kind
        self.detail = detail
        self.invalid = invalid
        self.signatureBase = signatureBase
        self.oldest = oldest
        self.headers = headers
    }

    /// The same, with its body written: an answer to very many requests must cost little.
    func written() throws -> Problem {
        var problem = self
        problem.body = try writeBody()
        return problem
    }

    /// The same, with one more field.
    func with(_ name: HTTPField.Name, _ value: String) -> Problem {
        var problem = self
        problem.headers[name] = value
        return problem
    }

    func response() throws -> Response {
        let message = try message
        return Response(
            status: message.head.status, headers: message.head.headerFields,
            body: ResponseBody(byteBuffer: message.body))
    }

    /// Head and body.
    struct Message: Sendable {
        var head: HTTPResponse
        let body: ByteBuffer
    }

    var message: Message {
        get throws {
            let body = try body ?? writeBody()
            var head = HTTPResponse(status: status, headerFields: headers)
            head.headerFields[.contentType] = "application/problem+json"
            head.headerFields[.contentLength] = "\(body.readableBytes)"
            return Message(head: head, body: body)
        }
    }

    private func writeBody() throws -> ByteBuffer {
        let body = Body(
            // A problem without a kind is its status: RFC 9457 section 4.2.1.
            type: kind.map { "urn:card-companion:problem:\($0)" } ?? "about:blank", title: status.reasonPhrase,
            status: status.code, detail: detail, invalid: invalid.isEmpty ? nil : invalid, signatureBase: signatureBase,
            oldest: oldest)
        return ByteBuffer(bytes: try encodeJSON(body))
    }

    private struct Body: Encodable {
        let type: String
        let title: String
        let status: Int
        let detail: String
        let invalid: [InvalidMember]?
        let signatureBase: String?
        let oldest: String?
    }
}

/// A value as JSON, with its members in alphabetical order.
func encodeJSON(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
}

extension ResponseBody {
    static func json(_ value: some Encodable) throws -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: try encodeJSON(value)))
    }
}
