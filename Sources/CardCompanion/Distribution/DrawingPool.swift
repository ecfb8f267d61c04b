internal import NIOPosix
internal import Synchronization

/// Threads for long computations: drawing images, and sealing them.
package final class DrawingPool: Sendable {
    /// How many jobs can wait for each thread. More requests are answered 503.
    package static let waitingJobsPerThread = 64

    private let threads: NIOThreadPool
    private let jobLimit: Int
    private let jobs = Mutex(0)

    /// Starts the threads.
    package init(threadCount: Int) {
        jobLimit = threadCount * (1 + Self.waitingJobsPerThread)
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
    }

    /// Stops after the jobs that have started.
    package func shutDown() async throws {
        try await threads.shutdownGracefully()
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
        guard hasRoom else { throw ServiceUnavailable("too many PINs wait to be drawn") }
        defer { jobs.withLock { $0 -= 1 } }
        return try await threads.runIfActive(job)
    }
}
