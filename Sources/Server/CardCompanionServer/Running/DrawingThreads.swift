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

    /// Runs the job also if the caller's task is cancelled: by then its delivery is recorded.
    func run<Result: Sendable>(_ job: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            pool.submit { state in
                continuation.resume(
                    with: Swift.Result {
                        guard state == .active else { throw CancellationError() }
                        return try job()
                    })
            }
        }
    }

    /// Stops after the jobs that have started.
    func shutDown() async throws {
        try await pool.shutdownGracefully()
    }
}
