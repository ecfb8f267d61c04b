import Foundation
import NIOPosix
import PINImages
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
    /// Runs `body` with a pool of one thread.
    private func withPool(_ body: (DrawingPool) async throws -> Void) async throws {
        let threads = Threads()
        threads.pool.start()
        try await body(DrawingPool(threads, threadCount: 1))
        try await threads.pool.shutdownGracefully()
    }

    /// - Returns: false if the pool refuses the job.
    private func draw(_ cost: Int, on pool: DrawingPool, until gate: DispatchSemaphore) async -> Bool? {
        do {
            try await pool.run(cost: cost) { gate.wait() }
            return true
        } catch {
            return error is ServiceUnavailable ? false : nil
        }
    }

    @Test("A job's result is returned, and its error is thrown")
    func results() async throws {
        struct Refusal: Error {}
        try await withPool { pool throws in
            #expect(try await pool.run(cost: 1) { 7 } == 7)
            await #expect(throws: Refusal.self) { try await pool.run(cost: 1) { throw Refusal() } }
        }
    }

    @Test("Jobs above the limit are refused; when a place is free again, the next job runs")
    func limit() async throws {
        let gate = DispatchSemaphore(value: 0)
        let limit = 1 + DrawingPool.waitingCostPerThread
        try await withPool { pool throws in
            await withTaskGroup(of: Bool?.self) { group in
                for _ in 0..<limit + 10 { group.addTask { await draw(1, on: pool, until: gate) } }
                // The refused jobs return first, while the others wait.
                for _ in 0..<10 { #expect(await group.next() == false) }
                for _ in 0..<limit { gate.signal() }
                for _ in 0..<limit { #expect(await group.next() == true) }
            }
            #expect(try await pool.run(cost: 1) { true })
        }
    }

    @Test("Large images count as long as they take, and leave a quarter of the room to others")
    func large() async throws {
        let gate = DispatchSemaphore(value: 0)
        let cost = PINImageLook(style: .calm, scale: .three).cost
        try await withPool { pool throws in
            await withTaskGroup(of: Bool?.self) { group in
                // 3 × 14 = 42 of 48, which are three quarters of 65.
                for _ in 0..<5 { group.addTask { await draw(cost, on: pool, until: gate) } }
                for _ in 0..<2 { #expect(await group.next() == false) }
                // The other 23 can be drawn.
                for _ in 0..<24 { group.addTask { await draw(1, on: pool, until: gate) } }
                #expect(await group.next() == false)
                for _ in 0..<26 { gate.signal() }
                for _ in 0..<26 { #expect(await group.next() == true) }
            }
        }
    }
}
