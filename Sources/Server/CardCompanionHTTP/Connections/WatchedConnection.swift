internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// A connection that is watched from its first byte on, before TLS, and served on the thread of its event loop. On the shared
/// pool, each request would change threads when its parts come, and again when its answer is written.
struct WatchedConnection<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let quota: ConnectionQuota
    let idleTimeoutSeconds: Int
    let exchangeLimit: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                ConnectionWatch(quota, idleTimeoutSeconds: idleTimeoutSeconds, exchangeLimit: exchangeLimit))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs the parts of a task on an event loop.
private final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
