internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SecureMemory
internal import StrictJSON

/// Reads the body of a request, which may hold an authentication code, into wiped memory, and wipes what it came in.
enum RequestBodyReader {
    /// The longest body (protocol, section 1).
    static let byteLimit = 65_536

    /// The request's JSON object.
    ///
    /// - Throws: ``Problem`` 400, 413, 415.
    static func object(_ request: Request) async throws -> JSONText {
        guard isJSON(request.headers[.contentType]) else {
            throw Problem(.unsupportedMediaType, "The body is to be application/json.")
        }
        let bytes = try await collect(request)
        do throws(JSONError) {
            return try JSONText(bytes)
        } catch {
            throw Problem(.badRequest, "The body is not one strict JSON object: \(error).")
        }
    }

    private static func collect(_ request: Request) async throws -> SecretBytes {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > byteLimit { throw tooLarge }
        var body = SecretBuffer(capacity: 4096)
        do {
            for try await chunk in request.body {
                defer { wipe(chunk) }
                guard body.count + chunk.readableBytes <= byteLimit else { throw tooLarge }
                chunk.withUnsafeReadableBytes { body.append($0) }
            }
        } catch let error where !(error is Problem) {
            throw Problem(.badRequest, "The body does not arrive whole.")
        }
        return body.finish()
    }

    /// Overwrites the very bytes that were read from the connection. `ByteBuffer` would copy them first if it were asked
    /// to write, and the copy would be wiped instead; nobody reads these again.
    private static func wipe(_ chunk: ByteBuffer) {
        chunk.withUnsafeReadableBytes { bytes in
            SecureHeap.wipe(UnsafeMutableRawBufferPointer(mutating: bytes))
        }
    }

    private static func isJSON(_ contentType: String?) -> Bool {
        let parts = (contentType ?? "").split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
    }

    private static let tooLarge = Problem(.contentTooLarge, "The body is longer than \(byteLimit) bytes.")
}
