/// A moment, as `timestamptz` keeps it: to the microsecond.
public struct PostgresTimestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
    public var microseconds: Int64

    /// A moment by its microseconds since the Unix epoch.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A moment by its seconds since the Unix epoch; the nearest that there is, should it lie beyond the range.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since the Unix epoch, rounded down.
    public var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// The earlier moment is the smaller.
    public static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }

    // PostgreSQL counts from 2000-01-01.
    private static let epochOffset: Int64 = 946_684_800_000_000

    /// The server's number for the moment. Out of the server's range it stays out of it, so that the server refuses it
    /// (but never becomes one of the two numbers that mean infinity).
    var wireValue: Int64 {
        let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epochOffset)
        return overflow || value == .min ? .min + 1 : value
    }

    /// Nil for the two infinities and what lies beyond this type's range.
    init?(wireValue: Int64) {
        let (value, overflow) = wireValue.addingReportingOverflow(Self.epochOffset)
        guard !overflow, wireValue != .min else { return nil }
        microseconds = value
    }
}
