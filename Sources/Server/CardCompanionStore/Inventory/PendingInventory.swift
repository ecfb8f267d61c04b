package import CardCompanionModel
internal import Synchronization

/// The inventory's next version, until a write takes it along: then both take effect, or none.
package final class PendingInventory: Sendable {
    /// What the next write of this task takes along.
    @TaskLocal package static var current: PendingInventory?

    private let next: Mutex<NewInventory?>

    package init(_ next: NewInventory) {
        self.next = Mutex(next)
    }

    /// Whether a write has taken it along.
    package var isTaken: Bool { next.withLock { $0 == nil } }

    /// The version, for the first write that asks.
    func take() -> NewInventory? {
        next.withLock { next in
            defer { next = nil }
            return next
        }
    }
}
