internal import Synchronization

/// How long the callers of a task wait for statements or batches: for a connection, and for the answer.
///
/// Without a limit the statement timeout counts. With one, the caller gets an error in time: whether the statement took effect is
/// unknown. A cancelled task waits, too, so that it knows what it has done. If the server sends nothing for twice as long as one
/// statement may wait, it is given up, and the connection is closed.
package final class AnswerLimit: Sendable {
    @TaskLocal package static var current: AnswerLimit?

    /// How long one statement waits.
    package let statement: Duration
    /// How long the next ones may wait together.
    private let left: Mutex<Duration>
    /// If less is left, no statement is sent: it could take effect, and its answer would come too late.
    private let least: Duration

    /// - Parameter all: how long all statements of the task wait together.
    package init(statement: Duration, all: Duration) {
        self.statement = statement
        left = Mutex(all)
        least = all / 10
    }

    /// How long the next statement waits; nil if there is no time for it.
    var next: Duration? {
        let left = left.withLock(\.self)
        return left < least ? nil : min(statement, left)
    }

    /// A statement has waited for that long.
    func spend(_ duration: Duration) {
        left.withLock { $0 -= duration }
    }
}
