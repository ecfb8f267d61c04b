package import PostgresLibPQ

/// An enumeration in a text column. A constraint of the schema allows the same values.
package protocol StoredEnumeration: RawRepresentable<String>, PostgresDecodable, PostgresEncodable, Codable, Sendable {}

extension StoredEnumeration {
    /// Reads the column's text. A value that is not one of the enumeration's is an error.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Self {
        try field.decode { Self(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// Appends a `text`.
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(rawValue)
    }

    /// Appends a null `text`.
    package static func appendNull(to parameters: inout PostgresParameters) {
        String.appendNull(to: &parameters)
    }
}
