package import CardCompanionModel
package import PostgresLibPQ

extension Timestamp: PostgresDecodable {
    /// Reads a `timestamptz`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Timestamp {
        Timestamp(microseconds: try PostgresTimestamp.decode(field).microseconds)
    }
}

extension Timestamp: PostgresEncodable {
    /// Appends a `timestamptz`.
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(PostgresTimestamp(microseconds: microseconds))
    }

    /// Appends a null `timestamptz`.
    package static func appendNull(to parameters: inout PostgresParameters) {
        PostgresTimestamp.appendNull(to: &parameters)
    }
}
