package import CardCompanionModel
package import PostgresLibPQ

extension Identifier: PostgresDecodable {
    /// Reads a `text`. Text that is not an identifier is an error.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Identifier {
        try field.decode { Identifier(String(decoding: $0, as: UTF8.self)) }
    }
}

extension Identifier: PostgresEncodable {
    /// Appends a `text`.
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(text)
    }

    /// Appends a null `text`.
    package static func appendNull(to parameters: inout PostgresParameters) {
        String.appendNull(to: &parameters)
    }
}
