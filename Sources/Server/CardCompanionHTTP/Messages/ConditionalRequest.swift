internal import CardCompanionModel
internal import Cryptography
internal import HTTPSignatures
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory

extension Request {
    /// If-Match or If-None-Match (RFC 9110 section 13.1).
    ///
    /// - Parameter settings: the bank's.
    func versionPrecondition(_ settings: BankSettings) throws(Problem) -> VersionPrecondition {
        let (match, noneMatch) = (headers[.ifMatch], headers[.ifNoneMatch])
        switch (match, noneMatch) {
        case (nil, nil): return .none
        case ("*", nil): return .exists
        case (nil, "*"): return .isAbsent
        case (let etag?, nil) where !etag.contains(","):
            // A weak ETag, one that was never given, or one of other limits, matches nothing.
            guard let expected = CardholderETag(etag, settings),
                expected == CardholderETag(version: expected.version, settings)
            else { return .version(Self.noVersion) }
            return .version(expected.version)
        default:
            throw Problem(
                .badRequest, "Use If-Match with one ETag or '*', or If-None-Match with '*'.",
                kind: "precondition")
        }
    }

    private static let noVersion: Int64 = -1

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
