package import SecureMemory

/// A JSON object that can contain secrets. The text stays in wiped memory. The caller decides for each member whether to
/// read it as public text or as a secret.
package struct JSONText: ~Copyable, Sendable {
    /// The type of a member's value.
    package enum Kind: Sendable, Equatable {
        case null, bool, number, string, array, object
    }

    /// The text as it was received.
    package let bytes: SecretBytes
    private let members: [JSONName: JSONNode]

    /// Reads one JSON object, as strictly as ``JSONValue/init(parsing:)``.
    ///
    /// - Throws: also if the text is a JSON value other than an object.
    package init(_ bytes: consuming SecretBytes) throws(JSONError) {
        let node = try bytes.withBytes { (buffer) throws(JSONError) in try JSONScanner.scan(buffer) }
        guard case .object(let members) = node else { throw JSONError(reason: .notAnObject, offset: 0) }
        self.bytes = bytes
        self.members = members
    }

    /// The names of the members, in alphabetical order.
    package var names: [String] { members.keys.map(\.text).sorted() }

    /// The type of the member; nil if there is no such member.
    package func kind(of name: String) -> Kind? {
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

    /// The content of a string, or the text of a number; nil for other types.
    package func text(of name: String) -> String? {
        bytes.withBytes { bytes in
            switch members[JSONName(text: name)] {
            case .string(let range): JSONString(bytes, range).text
            case .number(let range): String(decoding: bytes[range], as: UTF8.self)
            default: nil
            }
        }
    }

    /// The value of a boolean; nil for other types.
    package func bool(_ name: String) -> Bool? {
        guard case .bool(let value) = members[JSONName(text: name)] else { return nil }
        return value
    }

    /// The content of a string as secret bytes; nil for other types.
    package func secret(of name: String) -> SecretBytes? {
        guard case .string(let range) = members[JSONName(text: name)] else { return nil }
        return bytes.withBytes { JSONString($0, range).secret }
    }

    /// A member that is an object, with a copy of the whole text; nil for other types.
    package func object(_ name: String) -> JSONText? {
        guard case .object(let members) = members[JSONName(text: name)] else { return nil }
        return JSONText(bytes: bytes.copy(), members: members)
    }

    private init(bytes: consuming SecretBytes, members: [JSONName: JSONNode]) {
        self.bytes = bytes
        self.members = members
    }

    /// The elements of an array that contains only strings; nil for everything else.
    package func strings(_ name: String) -> [String]? {
        guard case .array(let elements) = members[JSONName(text: name)] else { return nil }
        let strings = bytes.withBytes { bytes in
            elements.compactMap { element -> String? in
                guard case .string(let range) = element else { return nil }
                return JSONString(bytes, range).text
            }
        }
        return strings.count == elements.count ? strings : nil
    }

    package func isEmptyString(_ name: String) -> Bool {
        guard case .string(let range) = members[JSONName(text: name)] else { return false }
        return range.isEmpty
    }
}
