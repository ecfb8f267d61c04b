public import HTTPTypes
internal import RawStructuredFieldValues

/// A part of a message that a signature can cover (RFC 9421 section 2). Of the parameters of components only the `name`
/// of a query parameter is supported.
public enum Component: Hashable, Sendable {
    /// The request's method.
    case method
    /// The whole URI of the request.
    case targetURI
    /// The host of the request, in lower case, with its port unless that is the scheme's own.
    case authority
    /// The request's scheme, in lower case.
    case scheme
    /// What the request line names.
    case requestTarget
    /// The path, as it was sent.
    case path
    /// The query with its question mark, as it was sent; a mark alone where there is no query.
    case query
    /// The one parameter of the query with this name, percent-encoded.
    case queryParameter(String)
    /// The response's status code.
    case status
    /// A field, all lines of it.
    case field(HTTPField.Name)
}

extension Component: CustomStringConvertible {
    /// The identifier as it stands in a signature base, such as `"@method"`.
    public var description: String {
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

    /// The item of the structured field.
    var item: Item {
        var parameters: OrderedMap<String, RFC9651BareItem> = [:]
        if case .queryParameter(let parameter) = self { parameters["name"] = .string(parameter) }
        return Item(bareItem: RFC9651BareItem.string(name), parameters: parameters)
    }

    /// The component that an item identifies; throws `unsupportedComponent`.
    init(_ item: Item) throws(SignatureError) {
        guard case .string(let name) = item.rfc9651BareItem else {
            throw SignatureError.malformed(.signatureInput, "a covered component is not a string")
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
