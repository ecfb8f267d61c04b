/// More requests came than can be answered in time. Nothing of this one was used.
package struct Overloaded: Error, Equatable {
    package enum Cause: Sendable, CaseIterable {
        /// All of the server's requests.
        case server
        /// The bank has its share of them.
        case bankShare
        /// The bank's rate is limited.
        case bankRate
    }

    /// Refused clients come back at different times.
    private static let spreadSeconds = 1...5

    package let cause: Cause
    package let retryAfterSeconds: Int

    /// - Parameter seconds: before that there is no room for certain.
    init(_ cause: Cause, afterSeconds seconds: Int = 0) {
        self.cause = cause
        retryAfterSeconds = max(seconds, 0) + .random(in: Self.spreadSeconds)
    }
}
