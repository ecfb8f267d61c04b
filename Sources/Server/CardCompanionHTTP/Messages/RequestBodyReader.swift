internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import SecureMemory
package import StrictJSON

/// Reads the body of a request, which can contain an authentication code, into wiped memory, and wipes the buffers.
package enum RequestBodyReader {
    /// The longest body (protocol, section 1).
    static let byteLimit = 65_536
    /// How much of a refused body is read and wiped.
    static let discardedByteLimit = 1 << 20

    /// The request's JSON object.
    ///
    /// - Throws: ``Problem`` 400, 413, 415.
    package static func object(_ request: Request, mediaType: String = "application/json") async throws -> JSONText {
        guard isMediaType(mediaType, request.headers[.contentType]) else {
            await discard(request)
            throw Problem(.unsupportedMediaType, "Content-Type must be \(mediaType).")
        }
        return try object(try await collect(request))
    }

    /// The JSON object in a body.
    ///
    /// - Throws: ``Problem`` 400.
    static func object(_ bytes: consuming SecretBytes) throws -> JSONText {
        do throws(JSONError) {
            return try JSONText(bytes)
        } catch {
            throw Problem(.badRequest, "The body must be one strict JSON object: \(error).")
        }
    }

    /// The whole body.
    ///
    /// - Throws: ``Problem`` 400, 413.
    static func collect(_ request: Request) async throws -> SecretBytes {
        var body = SecretBuffer(capacity: 4096, in: .ordinary)
        var count = 0
        do {
            for try await chunk in request.body {
                defer { wipe(chunk) }
                count += chunk.readableBytes
                guard count <= discardedByteLimit else { break }
                if count <= byteLimit { chunk.withUnsafeReadableBytes { body.append($0) } }
            }
        } catch {
            throw Problem(.badRequest, "The body is incomplete.")
        }
        guard count <= byteLimit else {
            throw Problem(.contentTooLarge, "The body must have at most \(byteLimit) bytes.")
        }
        return body.finish()
    }

    /// Reads and wipes an unused body: it can contain a secret too.
    static func discard(_ request: Request) async {
        var count = 0
        do {
            for try await chunk in request.body {
                wipe(chunk)
                count += chunk.readableBytes
                guard count <= discardedByteLimit else { return }
            }
        } catch {
            // The connection has ended, and the body with it.
        }
    }

    /// Overwrites the bytes that were read from the connection. (A write through `ByteBuffer` would copy them first and
    /// overwrite the copy.) They are not read again.
    static func wipe(_ chunk: ByteBuffer) {
        chunk.withUnsafeReadableBytes { bytes in
            SecureHeap.wipe(UnsafeMutableRawBufferPointer(mutating: bytes))
        }
    }

    /// Whether Content-Type names a media type. The only allowed parameter is the character set.
    static func isMediaType(_ mediaType: String, _ contentType: String?) -> Bool {
        if contentType == mediaType { return true }
        let parts = (contentType ?? "").split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        return parts.first == mediaType && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
    }
}
