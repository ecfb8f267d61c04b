package import SecureMemory

/// A JSON value without secrets. Numbers keep their text.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads one JSON text, strictly: no duplicate member names, valid UTF-8, at most 16 levels, nothing after it.
    package init(parsing source: borrowing some ByteSource & ~Copyable) throws(JSONError) {
        self = try source.withBytes { (bytes) throws(JSONError) in
            JSONValue(try JSONScanner.scan(bytes), in: bytes)
        }
    }

    /// A member of an object; nil if there is none, or if this is not an object.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    init(_ node: JSONNode, in bytes: UnsafeRawBufferPointer) {
        switch node {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let range): self = .number(String(decoding: bytes[range], as: UTF8.self))
        case .string(let range): self = .string(JSONString(bytes, range).text)
        case .array(let elements): self = .array(elements.map { JSONValue($0, in: bytes) })
        case .object(let members):
            // Names that are equal as `String` (canonically equivalent) are merged here. No name that callers ask for
            // has such an equivalent.
            let pairs = members.map { ($0.key.text, JSONValue($0.value, in: bytes)) }
            self = .object(Dictionary(pairs) { first, _ in first })
        }
    }
}
