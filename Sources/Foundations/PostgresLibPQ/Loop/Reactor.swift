internal import CLibPQ
internal import Glibc

/// An object that the reactor wakes for its socket or its deadline.
@PostgresLoop
protocol ReactorClient: AnyObject {
    func socketIsReady()
    func deadlineHasPassed()
}

/// Waits for sockets and deadlines.
///
/// A socket is reported once each time it is armed (EPOLLONESHOT). If data is left to read, the socket is reported again
/// as soon as it is armed again. We need this because libpq does not always read all available data.
@PostgresLoop
final class Reactor {
    static let shared = Reactor()

    typealias Token = UInt64
    typealias Instant = ContinuousClock.Instant

    struct Interest: OptionSet {
        let rawValue: UInt32
        static let read = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        static let write = Interest(rawValue: EPOLLOUT.rawValue)
    }

    /// A class, because a change of a member in a dictionary of structs costs three allocations.
    private final class Watch {
        weak var client: (any ReactorClient)?
        let descriptor: CInt
        var armed: Interest

        init(client: any ReactorClient, descriptor: CInt, armed: Interest) {
            self.client = client
            self.descriptor = descriptor
            self.armed = armed
        }
    }

    private struct Deadline {
        weak var client: (any ReactorClient)?
        let instant: Instant
    }

    private let epoll: CInt
    private var alarm: CInt = -1
    private var watches: [Token: Watch] = [:]
    private var deadlines: [ObjectIdentifier: Deadline] = [:]
    /// No deadline is before it. It can be too early, so that most changes of a deadline need no search.
    private var nextDeadline: Instant?
    private var lastToken: Token = 0
    private var events = [epoll_event](repeating: epoll_event(), count: Reactor.maximumEventsPerTurn)

    private static let maximumEventsPerTurn = 64
    private static let alarmToken: Token = 0

    private init() {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "cannot create an epoll descriptor for the event loop")
    }

    /// - Returns: the token of the new watch, or nil if the system refuses it.
    func watch(_ descriptor: CInt, for client: any ReactorClient) -> Token? {
        lastToken += 1
        guard control(EPOLL_CTL_ADD, descriptor, .read, lastToken) else { return nil }
        watches[lastToken] = Watch(client: client, descriptor: descriptor, armed: .read)
        return lastToken
    }

    /// Arms the watch again, or changes what it waits for.
    func arm(_ token: Token, for interest: Interest) {
        guard let watch = watches[token], watch.armed != interest else { return }
        guard control(EPOLL_CTL_MOD, watch.descriptor, interest, token) else { return }
        watch.armed = interest
    }

    /// Call this before you close the descriptor, because the system can reuse its number at once.
    func stopWatching(_ token: Token) {
        guard let watch = watches.removeValue(forKey: token) else { return }
        epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil)
    }

    /// Sets the client's only deadline; nil removes it.
    func setDeadline(_ instant: Instant?, for client: any ReactorClient) {
        deadlines[ObjectIdentifier(client)] = instant.map { Deadline(client: client, instant: $0) }
        if let instant { nextDeadline = min(nextDeadline ?? instant, instant) }
    }

    /// Watches the loop's own eventfd, which only interrupts the wait.
    func watch(alarm: CInt) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.alarmToken))
        epoll_ctl(epoll, EPOLL_CTL_ADD, alarm, &event)
        self.alarm = alarm
    }

    /// Waits for events if `mayWait` is true, then calls the clients that are ready or whose deadline has passed.
    func turn(mayWait: Bool) {
        let count = epoll_wait(epoll, &events, CInt(events.count), mayWait ? millisecondsToNextDeadline : 0)
        for event in events.prefix(Int(max(count, 0))) { report(event.data.u64) }
        reportDeadlines()
    }

    private func report(_ token: Token) {
        guard token != Self.alarmToken else {
            var ignored: eventfd_t = 0
            eventfd_read(alarm, &ignored)
            return
        }
        // Does nothing if an earlier event of this turn has ended the watch.
        guard let watch = watches[token] else { return }
        watch.armed = []
        watch.client?.socketIsReady()
    }

    private func reportDeadlines() {
        let now = Instant.now
        guard let nextDeadline, nextDeadline <= now else { return }
        defer { self.nextDeadline = deadlines.values.map(\.instant).min() }
        let passed = deadlines.filter { $0.value.instant <= now }.keys
        for id in passed {
            // An earlier client of this turn may have moved this deadline.
            guard let deadline = deadlines[id], deadline.instant <= now else { continue }
            deadlines[id] = nil
            deadline.client?.deadlineHasPassed()
        }
    }

    /// Rounded up, so that the deadline has passed when the wait ends; -1 means no limit.
    private var millisecondsToNextDeadline: CInt {
        guard let nextDeadline else { return -1 }
        let milliseconds = (nextDeadline - .now) / .milliseconds(1)
        return CInt(min(max(milliseconds.rounded(.up), 0), Double(Self.longestWaitMilliseconds)))
    }

    private static let longestWaitMilliseconds: CInt = 3_600_000

    private func control(_ operation: CInt, _ descriptor: CInt, _ interest: Interest, _ token: Token) -> Bool {
        var event = epoll_event(
            events: interest.rawValue | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}
