public import PostgresLibPQ

/// A text column whose values the schema limits to those of an enumeration.
public protocol StoredEnumeration: RawRepresentable<String>, PostgresDecodable, Sendable {}

extension StoredEnumeration {
    /// Reads the column's text; another value than the enumeration's is an error.
    public static func decode(_ field: PostgresField) throws(PostgresError) -> Self {
        try field.decode { Self(rawValue: String(decoding: $0, as: UTF8.self)) }
    }
}
