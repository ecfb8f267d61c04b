package import PostgresLibPQ

/// A point in time.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch.
    package let microseconds: Int64

    /// The time of that many microseconds since the Unix epoch.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time of that many Unix seconds.
    package init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Unix seconds, rounded down.
    package var seconds: Int64 {
        PostgresTimestamp(microseconds: microseconds).seconds
    }

    /// The time that many seconds later.
    package func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds + seconds * 1_000_000)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

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
