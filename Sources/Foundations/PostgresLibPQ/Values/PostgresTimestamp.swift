/// A point in time with microsecond precision, like `timestamptz`.
package struct PostgresTimestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Seconds since the Unix epoch. A value out of range becomes the nearest possible timestamp.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since the Unix epoch, rounded down.
    package var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }

    // PostgreSQL counts from 2000-01-01.
    private static let epochOffset: Int64 = 946_684_800_000_000

    /// The server's binary value. A timestamp that is out of the server's range stays out of range, so that the server
    /// refuses it. It never becomes one of the two values that mean infinity.
    var wireValue: Int64 {
        let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epochOffset)
        return overflow || value == .min ? .min + 1 : value
    }

    /// Nil for the two infinities and for values out of this type's range.
    init?(wireValue: Int64) {
        let (value, overflow) = wireValue.addingReportingOverflow(Self.epochOffset)
        guard !overflow, wireValue != .min else { return nil }
        microseconds = value
    }
}
