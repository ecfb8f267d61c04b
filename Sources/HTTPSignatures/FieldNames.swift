public import HTTPTypes

extension HTTPField.Name {
    /// What each signature covers and its parameters (RFC 9421 section 4.1).
    public static let signatureInput = known("Signature-Input")
    /// The signatures themselves (RFC 9421 section 4.2).
    public static let signature = known("Signature")
    /// Digests of the content (RFC 9530 section 2).
    public static let contentDigest = known("Content-Digest")

    static let host = known("Host")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is no field name") }
        return name
    }
}
