internal import CardCompanion
internal import NIOPosix

/// The threads that draw PINs.
struct DrawingThreads: WorkerThreads {
    private let pool: NIOThreadPool

    /// Starts the threads.
    init(count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(job)
    }

    /// Stops after the jobs that have started.
    func shutDown() async throws {
        try await pool.shutdownGracefully()
    }
}
