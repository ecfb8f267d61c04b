internal import Synchronization

/// Whether the server is about to stop. Then it says so to load balancers, and ends each connection after its next answer: a
/// client that is told so sends no further request to a server that is gone. It also counts the requests that are under way.
package final class Draining: Sendable {
    private let flag = Atomic(false)
    private let count = Atomic(0)

    package init() {}

    package func begin() { flag.store(true, ordering: .releasing) }

    /// How many requests have come whose answers are not sent.
    package var openRequestCount: Int { count.load(ordering: .acquiring) }

    var isUnderWay: Bool { flag.load(ordering: .acquiring) }

    /// The requests of one connection.
    func openRequests() -> OpenRequests { OpenRequests(self) }

    /// The requests of one connection that are under way. When the connection is lost, all of them end.
    struct OpenRequests {
        private let draining: Draining
        private(set) var count = 0

        fileprivate init(_ draining: Draining) {
            self.draining = draining
        }

        mutating func begin() { change(by: 1) }

        /// Does nothing after ``endAll()``.
        mutating func end() { if count > 0 { change(by: -1) } }

        mutating func endAll() { change(by: -count) }

        private mutating func change(by difference: Int) {
            count += difference
            draining.count.add(difference, ordering: .acquiringAndReleasing)
        }
    }
}
