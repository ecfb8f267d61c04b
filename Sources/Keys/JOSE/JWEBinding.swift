/// The header parameters of a JWE that say what it is, and for whom. Its tag authenticates them together with the content.
package struct JWEBinding: Sendable {
    /// `cty` (RFC 7516 section 4.1.12): what the content is.
    package var contentType: String?
    /// `iss` (RFC 7519 sections 4.1.1 and 5.3).
    package var issuer: String?
    /// `sub` (RFC 7519 sections 4.1.2 and 5.3).
    package var subject: String?
    /// `jti` (RFC 7519 section 4.1.7).
    package var id: String?
    /// `keypadId`: the keypad that indexes refer to.
    package var keypadId: String?

    package init(
        contentType: String? = nil, issuer: String? = nil, subject: String? = nil, id: String? = nil,
        keypadId: String? = nil
    ) {
        self.contentType = contentType
        self.issuer = issuer
        self.subject = subject
        self.id = id
        self.keypadId = keypadId
    }
}

extension JWEBinding: Equatable {
    /// Compares byte by byte. Texts that are equal only by Unicode's rules differ.
    package static func == (left: JWEBinding, right: JWEBinding) -> Bool {
        left.parameters.elementsEqual(right.parameters) { areSame($0.value, $1.value) }
    }

    /// Whether two parameters have the same bytes, or both are absent.
    package static func areSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// Name and value of each parameter, in a fixed order.
    package var parameters: [(name: String, value: String?)] {
        [("cty", contentType), ("iss", issuer), ("sub", subject), ("jti", id), ("keypadId", keypadId)]
    }
}
