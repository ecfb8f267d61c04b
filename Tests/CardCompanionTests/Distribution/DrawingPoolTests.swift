import Foundation
import Testing

@testable import CardCompanion

@Suite("Drawing pool")
struct DrawingPoolTests {
    @Test("A job's result is returned, and its error is thrown")
    func results() async throws {
        struct Refusal: Error {}
        let pool = DrawingPool(threadCount: 1)
        #expect(try await pool.run { 7 } == 7)
        await #expect(throws: Refusal.self) { try await pool.run { throw Refusal() } }
        try await pool.shutDown()
    }

    @Test("Jobs above the limit are refused; when a place is free again, the next job runs")
    func limit() async throws {
        let pool = DrawingPool(threadCount: 1)
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
        try await pool.shutDown()
    }
}
