package import HTTPTypes

extension HTTPField.Name {
    /// The covered components and the parameters of each signature (RFC 9421 section 4.1).
    package static let signatureInput = known("Signature-Input")
    /// The signatures (RFC 9421 section 4.2).
    package static let signature = known("Signature")
    /// The digests of the content (RFC 9530 section 2).
    package static let contentDigest = known("Content-Digest")

    /// The name of a call that can be repeated (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")

    static let host = known("Host")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is not a valid field name") }
        return name
    }
}
