internal import CLibPQ
internal import Glibc
internal import Synchronization

/// The single thread for all connections. It waits for their sockets and runs their code.
@globalActor
actor PostgresLoop {
    static let shared = PostgresLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopExecutor.shared.asUnownedSerialExecutor()
    }

    /// Schedules `body` on the loop. For callers that cannot wait, such as cancellation handlers.
    nonisolated static func post(_ body: @escaping @Sendable @PostgresLoop () -> Void) {
        LoopExecutor.shared.post(body)
    }

    /// Runs `body` at once. The caller must already be on the loop's thread.
    nonisolated static func assumeIsolated(_ body: @PostgresLoop () -> Void) {
        shared.preconditionIsolated()
        // As in `MainActor.assumeIsolated`: removes the isolation, which was just checked, from the type.
        withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> Void).self)() }
    }
}

/// Runs the loop's jobs on its thread, between waits for sockets and deadlines.
final class LoopExecutor: SerialExecutor {
    static let shared = LoopExecutor()

    private enum Work: Sendable {
        case job(UnownedJob)
        case call(@Sendable @PostgresLoop () -> Void)
    }

    private let work = Mutex<[Work]>([])
    private let thread = Atomic<UInt>(0)
    /// An eventfd that becomes readable if work is added while the thread may be asleep.
    private let alarm: CInt

    private init() {
        alarm = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(alarm >= 0, "cannot create an eventfd for the event loop")
        let started = Thread.start { LoopExecutor.shared.run() }
        precondition(started, "cannot start the event loop's thread")
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
        precondition(isOnThread, "must be called on the event loop's thread")
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
        PostgresLoop.assumeIsolated(loop)
    }

    @PostgresLoop
    private func loop() {
        Reactor.shared.watch(alarm: alarm)
        // Both arrays keep their memory.
        var batch: [Work] = []
        while true {
            work.withLock { swap(&$0, &batch) }
            for item in batch { perform(item) }
            batch.removeAll(keepingCapacity: true)
            Reactor.shared.turn(mayWait: work.withLock(\.isEmpty))
        }
    }

    @PostgresLoop
    private func perform(_ item: Work) {
        switch item {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .call(let body): body()
        }
    }
}
