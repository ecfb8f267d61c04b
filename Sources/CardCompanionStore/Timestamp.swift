public import PostgresLibPQ

/// A point in time.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch.
    public let microseconds: Int64

    /// The time of that many microseconds since the Unix epoch.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time of that many Unix seconds.
    public init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Unix seconds, rounded down.
    public var seconds: Int64 {
        PostgresTimestamp(microseconds: microseconds).seconds
    }

    /// Earlier or not.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp: PostgresDecodable {
    /// Reads a `timestamptz`.
    public static func decode(_ field: PostgresField) throws(PostgresError) -> Timestamp {
        Timestamp(microseconds: try PostgresTimestamp.decode(field).microseconds)
    }
}

extension PostgresParameters {
    mutating func append(_ value: Timestamp) {
        append(PostgresTimestamp(microseconds: value.microseconds))
    }

    mutating func append(_ value: Timestamp?) {
        append(value.map { PostgresTimestamp(microseconds: $0.microseconds) })
    }
}
