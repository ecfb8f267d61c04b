internal import Synchronization

/// Threads for long computations, which would delay other requests on the shared ones.
package protocol WorkerThreads: Sendable {
    /// Runs a job on one of the threads.
    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result
}

/// Draws images and seals them on threads of their own. What can wait is limited by its cost, so nobody waits long.
package final class DrawingPool: Sendable {
    /// How much can wait for each thread, in images of cost 1. More requests are answered 503.
    package static let waitingCostPerThread = 64

    private let threads: any WorkerThreads
    private let costLimit: Int
    /// With images of more than cost 1: they leave a quarter to the others.
    private let largeImageCostLimit: Int
    private let cost = Mutex(0)
    private let metrics: DrawingMetrics

    /// - Parameter threadCount: how many threads there are.
    package init(_ threads: any WorkerThreads, threadCount: Int) {
        costLimit = threadCount * (1 + Self.waitingCostPerThread)
        largeImageCostLimit = costLimit * 3 / 4
        metrics = DrawingMetrics(costLimit: costLimit)
        self.threads = threads
    }

    /// Runs a job on one of the threads.
    ///
    /// - Parameter jobCost: how long it takes, in images of cost 1.
    /// - Throws: ``ServiceUnavailable`` if too much waits, and the errors of the job.
    func run<Result: Sendable>(
        cost jobCost: Int, _ job: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let limit = jobCost > 1 ? largeImageCostLimit : costLimit
        let hasRoom = cost.withLock { cost in
            guard cost + jobCost <= limit else { return false }
            cost += jobCost
            return true
        }
        guard hasRoom else {
            metrics.refused()
            throw ServiceUnavailable("too many PINs wait to be drawn")
        }
        metrics.begun(jobCost)
        defer {
            cost.withLock { $0 -= jobCost }
            metrics.ended(jobCost)
        }
        return try await threads.run(job)
    }
}
