internal import CardCompanionModel
internal import Cryptography
internal import HTTPSignatures
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory

extension Request {
    /// If-Match or If-None-Match (RFC 9110 section 13.1).
    func versionPrecondition() throws(Problem) -> VersionPrecondition {
        let (match, noneMatch) = (headers[.ifMatch], headers[.ifNoneMatch])
        switch (match, noneMatch) {
        case (nil, nil): return .none
        case ("*", nil): return .exists
        case (nil, "*"): return .isAbsent
        case (let etag?, nil) where !etag.contains(","):
            // A weak ETag, or one that was never given, matches nothing.
            return .version(Int64(etag: etag) ?? -1)
        default:
            throw Problem(
                .badRequest, "Use If-Match with one ETag or '*', or If-None-Match with '*'.",
                kind: "precondition")
        }
    }

    /// SHA-256 of everything that makes a call the same: method, path and query, conditional headers, and body. Not of its
    /// signature: a repetition is signed again.
    func callDigest(_ body: SharedSecret) -> [UInt8] {
        let parts = [method.rawValue, uri.string, headers[.ifMatch] ?? "", headers[.ifNoneMatch] ?? ""]
        return SHA256.hash(Array(parts.joined(separator: "\n").utf8) + SHA256.hash(body.bytes))
    }

    func idempotencyKey() throws(Problem) -> String? {
        guard let key = headers[.idempotencyKey] else { return nil }
        guard 1...IssuerRoutes.idempotencyKeyByteLimit ~= key.utf8.count else {
            throw Problem(
                .badRequest, "Idempotency-Key must have 1 to \(IssuerRoutes.idempotencyKeyByteLimit) characters.",
                kind: "idempotency-key")
        }
        return key
    }
}

extension Int64 {
    var etag: String { "\"\(self)\"" }

    init?(etag: String) {
        guard etag.count > 2, etag.first == "\"", etag.last == "\"" else { return nil }
        self.init(etag.dropFirst().dropLast())
        guard self.etag == etag else { return nil }
    }
}
