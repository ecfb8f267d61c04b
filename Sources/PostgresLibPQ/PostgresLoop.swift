internal import CLibPQ
internal import Glibc
internal import Synchronization

/// The one thread that everything about connections happens on: it waits for their sockets, and runs their code.
@globalActor
actor PostgresLoop {
    static let shared = PostgresLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopExecutor.shared.asUnownedSerialExecutor()
    }

    /// Runs `body` on the loop, soon: from a place that cannot wait, such as a cancellation handler.
    nonisolated static func post(_ body: @escaping @Sendable @PostgresLoop () -> Void) {
        LoopExecutor.shared.post(body)
    }

    /// Runs `body` now; the caller must be on the loop's thread already.
    nonisolated static func assumeIsolated(_ body: @PostgresLoop () -> Void) {
        shared.preconditionIsolated()
        // As `MainActor.assumeIsolated` does it: the isolation that was just checked is taken off the type.
        withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> Void).self)() }
    }
}

/// Runs the loop's jobs on its thread, between waiting for sockets and timers.
final class LoopExecutor: SerialExecutor {
    static let shared = LoopExecutor()

    private enum Work: Sendable {
        case job(UnownedJob)
        case call(@Sendable @PostgresLoop () -> Void)
    }

    private let work = Mutex<[Work]>([])
    private let thread = Atomic<UInt>(0)
    /// Readable when work has come while the thread may be asleep.
    private let alarm: CInt

    private init() {
        alarm = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(alarm >= 0, "no descriptor is left for the event loop")
        let started = Thread.start { LoopExecutor.shared.run() }
        precondition(started, "no thread is left for the event loop")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    func post(_ body: @escaping @Sendable @PostgresLoop () -> Void) {
        add(.call(body))
    }

    func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    func checkIsolated() {
        precondition(isOnThread, "not on the event loop's thread")
    }

    private var isOnThread: Bool {
        thread.load(ordering: .relaxed) == pthread_self()
    }

    private func add(_ new: Work) {
        let wasEmpty = work.withLock { work in
            defer { work.append(new) }
            return work.isEmpty
        }
        if wasEmpty, !isOnThread { eventfd_write(alarm, 1) }
    }

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        PostgresLoop.assumeIsolated { Reactor.shared.watch(alarm: alarm) }
        while true {
            runWork()
            let isIdle = work.withLock(\.isEmpty)
            PostgresLoop.assumeIsolated { Reactor.shared.turn(mayWait: isIdle) }
        }
    }

    private func runWork() {
        let batch = work.withLock { work in
            defer { work = [] }
            return work
        }
        for item in batch {
            switch item {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let body): PostgresLoop.assumeIsolated(body)
            }
        }
    }
}
