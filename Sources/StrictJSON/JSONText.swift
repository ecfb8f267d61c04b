public import SecureMemory

/// A JSON object that may hold secrets: the text stays in wiped memory, and a member leaves it only as what the caller
/// says it is.
public struct JSONText: ~Copyable, Sendable {
    /// The kind of a member's value.
    public enum Kind: Sendable, Equatable {
        case null, bool, number, string, array, object
    }

    /// The text as it was received.
    public let bytes: SecretBytes
    private let members: [JSONName: JSONNode]

    /// Reads one JSON object, as strictly as ``JSONValue/init(parsing:)``.
    public init(_ bytes: consuming SecretBytes) throws(JSONError) {
        let node = try bytes.withBytes { (buffer) throws(JSONError) in try JSONScanner.scan(buffer) }
        guard case .object(let members) = node else { throw JSONError(reason: .notAnObject, offset: 0) }
        self.bytes = bytes
        self.members = members
    }

    /// The names of the members, in alphabetical order.
    public var names: [String] { members.keys.map(\.text).sorted() }

    /// The kind of the member, nil where there is none.
    public func kind(of name: String) -> Kind? {
        switch members[JSONName(text: name)] {
        case nil: nil
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// A string's content, or a number's text; nil for every other kind.
    public func text(of name: String) -> String? {
        bytes.withBytes { bytes in
            switch members[JSONName(text: name)] {
            case .string(let range): JSONString(bytes, range).text
            case .number(let range): String(decoding: bytes[range], as: UTF8.self)
            default: nil
            }
        }
    }

    /// A string's content, kept in wiped memory; nil for every other kind.
    public func secret(of name: String) -> SecretBytes? {
        guard case .string(let range) = members[JSONName(text: name)] else { return nil }
        return bytes.withBytes { JSONString($0, range).secret }
    }

    /// The strings of an array of nothing but strings; nil for everything else.
    public func strings(_ name: String) -> [String]? {
        guard case .array(let elements) = members[JSONName(text: name)] else { return nil }
        let strings = bytes.withBytes { bytes in
            elements.compactMap { element -> String? in
                guard case .string(let range) = element else { return nil }
                return JSONString(bytes, range).text
            }
        }
        return strings.count == elements.count ? strings : nil
    }

    /// Whether the member is a string of no characters.
    public func isEmptyString(_ name: String) -> Bool {
        guard case .string(let range) = members[JSONName(text: name)] else { return false }
        return range.isEmpty
    }
}
