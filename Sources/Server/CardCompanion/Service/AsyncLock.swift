internal import Synchronization

/// Lets one task at a time through, in the order of arrival. Waiting tasks block no thread.
package final class AsyncLock: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var isHeld = false
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        var lastId: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// How many tasks wait.
    var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Runs `body` while no other task runs one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits, and the errors of `body`.
    package func withLock<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await acquire()
        defer { release() }
        return try await body()
    }

    private func acquire() async throws {
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(id, $0) }
        } onCancel: {
            remove(id)?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ id: UInt64, _ waiter: Waiter) {
        let answer: Swift.Result<Void, any Error>? = state.withLock { state in
            // If the task is cancelled after this, `onCancel` finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard state.isHeld else {
                state.isHeld = true
                return .success(())
            }
            state.waiters.append((id, waiter))
            return nil
        }
        if let answer { waiter.resume(with: answer) }
    }

    private func remove(_ id: UInt64) -> Waiter? {
        state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).waiter }
        }
    }

    /// Hands the lock to the task that has waited longest.
    private func release() {
        let next = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().waiter }
            state.isHeld = false
            return nil
        }
        next?.resume()
    }
}
