import Synchronization
import Testing

@testable import CardCompanion

@Suite("Async lock")
struct AsyncLockTests {
    private let lock = AsyncLock()

    /// Who has had the lock.
    private final class Entries: Sendable {
        private let numbers = Mutex([Int]())
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    /// Waits until so many tasks wait for the lock.
    private func until(waiting count: Int) async {
        while lock.waiterCount != count { await Task.yield() }
    }

    @Test("One task at a time has it, in the order of their coming")
    func order() async throws {
        let (lock, entries) = (lock, Entries())
        try await withThrowingTaskGroup { group in
            try await lock.withLock {
                for number in 0..<5 {
                    group.addTask { try await lock.withLock { entries.add(number) } }
                    await until(waiting: number + 1)
                }
                #expect(entries.all == [])
            }
            try await group.waitForAll()
        }
        #expect(entries.all == [0, 1, 2, 3, 4])
    }

    @Test("A task that is cancelled while it waits does nothing, and keeps nobody waiting")
    func cancelled() async throws {
        let (lock, entries) = (lock, Entries())
        try await lock.withLock {
            let waiter = Task { try await lock.withLock { entries.add(1) } }
            await until(waiting: 1)
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            #expect(lock.waiterCount == 0)
        }
        #expect(entries.all == [])
        try await lock.withLock {}
    }

    @Test("A task that is cancelled before it asks gets nothing")
    func cancelledBefore() async throws {
        let lock = lock
        let waiter = Task {
            while !Task.isCancelled { await Task.yield() }
            try await lock.withLock {}
        }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        try await lock.withLock {}
    }

    @Test("It is free again after an error")
    func failure() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await lock.withLock { throw Failure() } }
        try await lock.withLock {}
    }
}
