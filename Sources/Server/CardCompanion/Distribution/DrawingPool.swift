internal import Synchronization

/// Threads for long computations, which would delay other requests on the shared ones.
package protocol WorkerThreads: Sendable {
    /// Runs a job on one of the threads.
    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result
}

/// Draws images and seals them on threads of their own. The number of waiting jobs is limited.
package final class DrawingPool: Sendable {
    /// How many jobs can wait for each thread. More requests are answered 503.
    package static let waitingJobsPerThread = 64

    private let threads: any WorkerThreads
    private let jobLimit: Int
    private let jobs = Mutex(0)
    private let metrics: DrawingMetrics

    /// - Parameter threadCount: how many threads there are.
    package init(_ threads: any WorkerThreads, threadCount: Int) {
        jobLimit = threadCount * (1 + Self.waitingJobsPerThread)
        metrics = DrawingMetrics(jobLimit: jobLimit)
        self.threads = threads
    }

    /// Runs a job on one of the threads.
    ///
    /// - Throws: ``ServiceUnavailable`` if too many jobs wait, and the errors of the job.
    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result {
        let hasRoom = jobs.withLock { jobs in
            guard jobs < jobLimit else { return false }
            jobs += 1
            return true
        }
        guard hasRoom else {
            metrics.refused()
            throw ServiceUnavailable("too many PINs wait to be drawn")
        }
        metrics.begun()
        defer {
            jobs.withLock { $0 -= 1 }
            metrics.ended()
        }
        return try await threads.run(job)
    }
}
