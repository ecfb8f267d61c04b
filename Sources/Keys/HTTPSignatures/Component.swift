package import HTTPTypes
internal import RawStructuredFieldValues

/// A part of a message that a signature can cover (RFC 9421 section 2). The only supported component parameter is the
/// `name` of a query parameter.
package enum Component: Hashable, Sendable {
    /// The method of the request.
    case method
    /// The whole URI of the request.
    case targetURI
    /// The host of the request, in lower case, with its port unless it is the default port of the scheme.
    case authority
    /// The scheme of the request, in lower case.
    case scheme
    /// The target in the request line.
    case requestTarget
    /// The path, as it was sent.
    case path
    /// The query with its question mark, as it was sent; only a question mark if there is no query.
    case query
    /// The query parameter with this percent-encoded name. The name must occur only once in the query.
    case queryParameter(String)
    /// The status code of the response.
    case status
    /// A header field, with all its lines.
    case field(HTTPField.Name)
}

extension Component: CustomStringConvertible {
    /// The identifier as in a signature base, such as `"@method"`.
    package var description: String {
        var serializer = StructuredFieldValueSerializer()
        guard let bytes = try? serializer.writeItemFieldValue(item) else { return "\"\(name)\"" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let derived: [Component] = [
        .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query, .status,
    ]
    private static let queryParameterName = "@query-param"

    private var name: String {
        switch self {
        case .method: "@method"
        case .targetURI: "@target-uri"
        case .authority: "@authority"
        case .scheme: "@scheme"
        case .requestTarget: "@request-target"
        case .path: "@path"
        case .query: "@query"
        case .queryParameter: Self.queryParameterName
        case .status: "@status"
        case .field(let name): name.canonicalName
        }
    }

    /// The component as an item of a structured field.
    var item: Item {
        var parameters: OrderedMap<String, RFC9651BareItem> = [:]
        if case .queryParameter(let parameter) = self { parameters["name"] = .string(parameter) }
        return Item(bareItem: RFC9651BareItem.string(name), parameters: parameters)
    }

    /// The component that an item of a structured field identifies.
    ///
    /// - Throws: `malformedField`, `unsupportedComponent`.
    init(_ item: Item) throws(SignatureError) {
        guard case .string(let name) = item.rfc9651BareItem else {
            throw SignatureError.malformed(.signatureInput, "each covered component must be a quoted string")
        }
        guard let component = Self.component(name, item.rfc9651Parameters) else {
            throw SignatureError(.unsupportedComponent(Self.text(of: item)))
        }
        self = component
    }

    private static func component(_ name: String, _ parameters: OrderedMap<String, RFC9651BareItem>) -> Component? {
        if name == queryParameterName {
            guard parameters.count == 1, case .string(let parameter) = parameters["name"] else { return nil }
            return .queryParameter(parameter)
        }
        guard parameters.isEmpty else { return nil }
        if name.hasPrefix("@") { return derived.first { $0.name == name } }
        guard let field = HTTPField.Name(name), field.canonicalName == name else { return nil }
        return .field(field)
    }

    private static func text(of item: Item) -> String {
        var serializer = StructuredFieldValueSerializer()
        guard let bytes = try? serializer.writeItemFieldValue(item) else { return "of this form" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
