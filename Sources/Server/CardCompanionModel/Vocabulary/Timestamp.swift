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
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// The time that many seconds later.
    package func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds + seconds * 1_000_000)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
