internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SecureMemory
internal import StrictJSON

/// Reads the body of a request, which may hold an authentication code, into wiped memory, and wipes what it came in.
enum RequestBodyReader {
    /// The longest body (protocol, section 1).
    static let byteLimit = 65_536
    /// How much of a body that is refused is read, and wiped, all the same.
    static let discardedByteLimit = 1 << 20

    /// The request's JSON object.
    ///
    /// - Throws: ``Problem`` 400, 413, 415.
    static func object(_ request: Request, mediaType: String = "application/json") async throws -> JSONText {
        guard isMediaType(mediaType, request.headers[.contentType]) else {
            await discard(request)
            throw Problem(.unsupportedMediaType, "The body is to be \(mediaType).")
        }
        return try object(try await collect(request))
    }

    /// A JSON object of bytes that were collected.
    ///
    /// - Throws: ``Problem`` 400.
    static func object(_ bytes: consuming SecretBytes) throws -> JSONText {
        do throws(JSONError) {
            return try JSONText(bytes)
        } catch {
            throw Problem(.badRequest, "The body is not one strict JSON object: \(error).")
        }
    }

    /// The body, whole.
    ///
    /// - Throws: ``Problem`` 400, 413.
    static func collect(_ request: Request) async throws -> SecretBytes {
        var body = SecretBuffer(capacity: 4096)
        var count = 0
        do {
            for try await chunk in request.body {
                defer { wipe(chunk) }
                count += chunk.readableBytes
                guard count <= discardedByteLimit else { break }
                if count <= byteLimit { chunk.withUnsafeReadableBytes { body.append($0) } }
            }
        } catch {
            throw Problem(.badRequest, "The body does not arrive whole.")
        }
        guard count <= byteLimit else {
            throw Problem(.contentTooLarge, "The body is longer than \(byteLimit) bytes.")
        }
        return body.finish()
    }

    /// Reads a body that nobody wants, for it may hold a secret all the same, and wipes it.
    static func discard(_ request: Request) async {
        var count = 0
        do {
            for try await chunk in request.body {
                wipe(chunk)
                count += chunk.readableBytes
                guard count <= discardedByteLimit else { return }
            }
        } catch {
            // The connection is gone, and with it what was to come.
        }
    }

    /// Overwrites the very bytes that were read from the connection. `ByteBuffer` would copy them first if it were asked
    /// to write, and the copy would be wiped instead; nobody reads these again.
    static func wipe(_ chunk: ByteBuffer) {
        chunk.withUnsafeReadableBytes { bytes in
            SecureHeap.wipe(UnsafeMutableRawBufferPointer(mutating: bytes))
        }
    }

    /// Whether a body says that it is of a media type; its only parameter is the character set.
    static func isMediaType(_ mediaType: String, _ contentType: String?) -> Bool {
        let parts = (contentType ?? "").split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        return parts.first == mediaType && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
    }
}
