internal import Synchronization

/// Whether the server is about to stop. Then it says so to load balancers, and ends each connection after its next answer: a
/// client that is told so sends no further request to a server that is gone.
package final class Draining: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package func begin() { flag.store(true, ordering: .releasing) }

    var isUnderWay: Bool { flag.load(ordering: .acquiring) }
}
