import Foundation
import NIOPosix
import Testing

@testable import CardCompanion

private struct Threads: WorkerThreads {
    let pool = NIOThreadPool(numberOfThreads: 1)

    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(job)
    }
}

@Suite("Drawing pool")
struct DrawingPoolTests {
    @Test("A job's result is returned, and its error is thrown")
    func results() async throws {
        struct Refusal: Error {}
        let threads = Threads()
        threads.pool.start()
        let pool = DrawingPool(threads, threadCount: 1)
        #expect(try await pool.run { 7 } == 7)
        await #expect(throws: Refusal.self) { try await pool.run { throw Refusal() } }
        try await threads.pool.shutdownGracefully()
    }

    @Test("Jobs above the limit are refused; when a place is free again, the next job runs")
    func limit() async throws {
        let threads = Threads()
        threads.pool.start()
        let pool = DrawingPool(threads, threadCount: 1)
        let gate = DispatchSemaphore(value: 0)
        let limit = 1 + DrawingPool.waitingJobsPerThread
        await withTaskGroup(of: Bool?.self) { group in
            for _ in 0..<limit + 10 {
                group.addTask {
                    do {
                        try await pool.run { gate.wait() }
                        return true
                    } catch {
                        return error is ServiceUnavailable ? false : nil
                    }
                }
            }
            // The refused jobs return first, while the others wait.
            for _ in 0..<10 { #expect(await group.next() == false) }
            for _ in 0..<limit { gate.signal() }
            for _ in 0..<limit { #expect(await group.next() == true) }
        }
        #expect(try await pool.run { true })
        try await threads.pool.shutdownGracefully()
    }
}
