internal import NIOPosix
internal import Synchronization

/// Threads for work that would hold up others: drawing, and sealing what was drawn.
public final class DrawingPool: Sendable {
    /// How many jobs may wait for each thread; beyond it a request is told to come again.
    public static let waitingJobsPerThread = 64

    private let threads: NIOThreadPool
    private let jobLimit: Int
    private let jobs = Mutex(0)

    /// Starts the threads.
    public init(threadCount: Int) {
        jobLimit = threadCount * (1 + Self.waitingJobsPerThread)
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
    }

    /// Lets the jobs end that have begun.
    public func shutDown() async throws {
        try await threads.shutdownGracefully()
    }

    /// Runs a job on one of the threads.
    ///
    /// - Throws: ``ServiceUnavailable`` where too many wait already, and what the job throws.
    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result {
        let hasRoom = jobs.withLock { jobs in
            guard jobs < jobLimit else { return false }
            jobs += 1
            return true
        }
        guard hasRoom else { throw ServiceUnavailable("too many PINs are being drawn") }
        defer { jobs.withLock { $0 -= 1 } }
        return try await threads.runIfActive(job)
    }
}
