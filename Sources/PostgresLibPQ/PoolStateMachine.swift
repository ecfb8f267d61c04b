/// Who may use which connection, and when connections are made and closed. It does nothing itself: each method returns
/// what to do.
///
/// A connection is shared by up to `pipelineDepth` requests, or leased to one caller. A caller who wants a lease gets an
/// idle connection, or one that takes no more shared requests until it is idle. Health is learnt from errors: a lost
/// connection is replaced, and while none can be made one attempt at a time is made, further and further apart.
struct PoolStateMachine {
    typealias RequestID = UInt64
    typealias ConnectionID = Int
    typealias Instant = ContinuousClock.Instant

    enum Kind {
        case shared
        case lease
    }

    enum Action: Equatable {
        case connect(ConnectionID)
        case grant(RequestID, ConnectionID)
        case fail(RequestID, PostgresError.Code)
        /// Nothing else will be asked of the connection.
        case close(ConnectionID)
        /// After `shutDown`: no connection is left.
        case stopped
    }

    private enum Phase {
        case created
        case running
        case stopping
        case stopped
    }

    private let limits: PostgresConfiguration
    private var phase = Phase.created
    /// While stopping: when what is still under way is cut off.
    private var cutOffAt: Instant?
    private var members: [Member] = []
    private var lastConnection = 0
    private var sharedWaiters = WaiterQueue()
    private var leaseWaiters = WaiterQueue()

    private var backOff: BackOff
    private var retryAt: Instant?
    /// When the newest connection will have lasted long enough for the back-off to begin anew.
    private var stableAt: Instant?
    private var lastAttemptFailed = false

    init(_ limits: PostgresConfiguration) {
        self.limits = limits
        backOff = BackOff(limits.backOff)
    }

    /// When `tick` must be called at the latest.
    var nextDeadline: Instant? {
        let waiters = earlier(sharedWaiters.nextDeadline, leaseWaiters.nextDeadline)
        return earlier(earlier(waiters, retryAt), earlier(cutOffAt, idleDeadline))
    }

    /// When the first of the idle connections that need not be kept is closed.
    private var idleDeadline: Instant? {
        guard members.count > limits.minimumConnections else { return nil }
        let since = members.reduce(nil) { earlier($0, $1.idleSince) }
        return since.map { $0 + .seconds(limits.idleTimeoutSeconds) }
    }

    /// - Returns: nil if it was started before.
    mutating func start(at now: Instant) -> [Action]? {
        guard phase == .created else { return nil }
        phase = .running
        return settle(now)
    }

    mutating func acquire(_ id: RequestID, _ kind: Kind, at now: Instant) -> [Action] {
        guard phase == .created || phase == .running else { return [.fail(id, .shutDown)] }
        let deadline = now + .seconds(limits.acquireTimeoutSeconds)
        switch kind {
        case .shared: sharedWaiters.append(id, until: deadline)
        case .lease: leaseWaiters.append(id, until: deadline)
        }
        let actions = settle(now)
        guard sharedWaiters.count + leaseWaiters.count > limits.maximumWaiters else { return actions }
        // One too many now waits: it is the newcomer, as nobody overtakes his own kind.
        _ = sharedWaiters.remove(id) || leaseWaiters.remove(id)
        return actions + [.fail(id, .tooManyWaiters)]
    }

    /// The caller no longer wants it. Nothing happens if it has got its connection already.
    mutating func cancel(_ id: RequestID, at now: Instant) -> [Action] {
        guard sharedWaiters.remove(id) || leaseWaiters.remove(id) else { return [] }
        return [.fail(id, .cancelled)] + settle(now)
    }

    /// One shared request has had its whole answer.
    mutating func finished(_ id: ConnectionID, at now: Instant) -> [Action] {
        update(id) { $0.finishOne(at: now) }
        return settle(now)
    }

    /// A lease is over, and the session is as good as new.
    mutating func leaseReturned(_ id: ConnectionID, at now: Instant) -> [Action] {
        update(id) { $0.state = .shared(inFlight: 0, idleSince: now) }
        return settle(now)
    }

    mutating func connected(_ id: ConnectionID, at now: Instant) -> [Action] {
        guard members.contains(where: { $0.id == id }) else { return [.close(id)] }
        update(id) { $0.state = .shared(inFlight: 0, idleSince: now) }
        lastAttemptFailed = false
        retryAt = nil
        stableAt = now + .milliseconds(limits.backOff.stableAfterMilliseconds)
        return settle(now)
    }

    mutating func connectFailed(
        _ id: ConnectionID, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard remove(id) else { return [] }
        lastAttemptFailed = true
        postpone(from: now, using: &random)
        return settle(now)
    }

    /// A connection that had been made is gone.
    mutating func lost(
        _ id: ConnectionID, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard remove(id) else { return [] }
        if let stableAt, now < stableAt { postpone(from: now, using: &random) }
        return settle(now)
    }

    /// The connection's server is no longer the one we want: it gets no more requests, and is closed when those that are
    /// under way have ended.
    mutating func retire(
        _ id: ConnectionID, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let index = members.firstIndex(where: { $0.id == id }), let inFlight = members[index].inFlight else {
            return []
        }
        members[index].state = .retiring(inFlight: inFlight)
        if let stableAt, now < stableAt { postpone(from: now, using: &random) }
        return settle(now)
    }

    /// Time has passed.
    mutating func tick(at now: Instant) -> [Action] {
        if let retry = retryAt, retry <= now { retryAt = nil }
        let code = hasReadyConnection || phase == .created ? PostgresError.Code.acquireTimeout : .cannotConnect
        let expired = sharedWaiters.removeExpired(at: now) + leaseWaiters.removeExpired(at: now)
        return expired.map { .fail($0, code) } + closeIdle(now) + settle(now)
    }

    /// No new requests; those under way may end within the shutdown timeout.
    mutating func shutDown(at now: Instant) -> [Action] {
        guard phase == .created || phase == .running else { return [] }
        phase = .stopping
        cutOffAt = now + .seconds(limits.shutdownTimeoutSeconds)
        retryAt = nil
        members.removeAll { $0.isConnecting }
        let waiting = sharedWaiters.removeAll() + leaseWaiters.removeAll()
        return waiting.map { .fail($0, .shutDown) } + settle(now)
    }
}

// MARK: - The rules

extension PoolStateMachine {
    private mutating func settle(_ now: Instant) -> [Action] {
        switch phase {
        case .created, .stopped:
            return []
        case .stopping:
            return windDown(all: cutOffAt.map { $0 <= now } ?? true)
        case .running:
            return closeRetired() + grantLeases() + grantShared(now) + grow(now)
        }
    }

    private mutating func grantLeases() -> [Action] {
        var actions: [Action] = []
        while leaseDemand > 0, let index = members.firstIndex(where: \.isIdle), let id = leaseWaiters.popFirst() {
            members[index].state = .leased
            actions.append(.grant(id, members[index].id))
        }
        return actions
    }

    private mutating func grantShared(_ now: Instant) -> [Action] {
        guard !sharedWaiters.isEmpty else { return [] }
        let held = connectionsHeldForLeases
        var actions: [Action] = []
        while let index = leastLoaded(except: held), let id = sharedWaiters.popFirst() {
            members[index].beginOne()
            actions.append(.grant(id, members[index].id))
        }
        return actions
    }

    /// How many lease waiters may have a connection. With two connections or more one is left for everybody else.
    private var leaseDemand: Int {
        guard !leaseWaiters.isEmpty else { return 0 }
        let leased = members.count { $0.state == .leased }
        return min(leaseWaiters.count, max(1, limits.maximumConnections - 1) - leased)
    }

    /// The connections that take no more shared requests, as a lease waits for them: those that will be idle soonest,
    /// and only as many as cannot be made anew.
    private var connectionsHeldForLeases: Set<ConnectionID> {
        let coming = members.count(where: \.isConnecting)
        let room = lastAttemptFailed ? 0 : limits.maximumConnections - members.count
        let missing = leaseDemand - coming - room
        guard missing > 0 else { return [] }
        let shared = members.compactMap { member in member.inFlight.map { (load: $0, id: member.id) } }
        return Set(shared.sorted(by: <).prefix(missing).map(\.id))
    }

    private func leastLoaded(except held: Set<ConnectionID>) -> Int? {
        var best: (index: Int, inFlight: Int)?
        for (index, member) in members.enumerated() {
            guard let inFlight = member.inFlight, inFlight < limits.pipelineDepth else { continue }
            if inFlight < best?.inFlight ?? .max, !held.contains(member.id) { best = (index, inFlight) }
        }
        return best?.index
    }

    /// Makes connections for those who wait, one more than is busy so that the next request finds it idle, and the
    /// configured minimum.
    private mutating func grow(_ now: Instant) -> [Action] {
        guard retryAt.map({ $0 <= now }) ?? true else { return [] }
        let allAreBusy = hasReadyConnection && !members.contains(where: \.isIdle)
        let demand = sharedWaiters.count + leaseDemand + (allAreBusy ? 1 : 0)
        let atOnce = lastAttemptFailed ? 1 : limits.maximumConcurrentConnects
        var connecting = members.count(where: \.isConnecting)
        var actions: [Action] = []
        while connecting < atOnce, members.count < limits.maximumConnections,
            connecting < demand || members.count < limits.minimumConnections
        {
            lastConnection += 1
            members.append(Member(id: lastConnection))
            actions.append(.connect(lastConnection))
            connecting += 1
        }
        return actions
    }

    private mutating func closeIdle(_ now: Instant) -> [Action] {
        var actions: [Action] = []
        for member in members.reversed() where members.count > limits.minimumConnections {
            guard let since = member.idleSince, since + .seconds(limits.idleTimeoutSeconds) <= now else { continue }
            _ = remove(member.id)
            actions.append(.close(member.id))
        }
        return actions
    }

    private mutating func closeRetired() -> [Action] {
        guard members.contains(where: \.isOver) else { return [] }
        let over = members.filter(\.isOver)
        members.removeAll(where: \.isOver)
        return over.map { .close($0.id) }
    }

    private mutating func windDown(all: Bool) -> [Action] {
        let over = members.filter { all || $0.isIdle || $0.isOver }.map(\.id)
        members.removeAll { over.contains($0.id) }
        guard members.isEmpty else { return over.map { .close($0) } }
        phase = .stopped
        cutOffAt = nil
        return over.map { .close($0) } + [.stopped]
    }

    private mutating func postpone(from now: Instant, using random: inout some RandomNumberGenerator) {
        if let stableAt, stableAt <= now { backOff.succeeded() }
        stableAt = nil
        retryAt = now + backOff.failed(using: &random)
    }

    private var hasReadyConnection: Bool {
        members.contains { !$0.isConnecting }
    }

    private mutating func update(_ id: ConnectionID, _ change: (inout Member) -> Void) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        change(&members[index])
    }

    private mutating func remove(_ id: ConnectionID) -> Bool {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return false }
        members.remove(at: index)
        return true
    }
}

private func earlier(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}

// MARK: - One connection

extension PoolStateMachine {
    private struct Member {
        enum State: Equatable {
            case connecting
            case shared(inFlight: Int, idleSince: Instant?)
            case retiring(inFlight: Int)
            case leased
        }

        let id: ConnectionID
        var state = State.connecting

        var isConnecting: Bool { state == .connecting }

        /// Whether it was to be closed after its last request, and that has ended.
        var isOver: Bool { state == .retiring(inFlight: 0) }

        /// Nil unless it is shared.
        var inFlight: Int? {
            guard case .shared(let inFlight, _) = state else { return nil }
            return inFlight
        }

        var isIdle: Bool { inFlight == 0 }

        var idleSince: Instant? {
            guard case .shared(_, let since) = state else { return nil }
            return since
        }

        mutating func beginOne() {
            guard let inFlight else { return }
            state = .shared(inFlight: inFlight + 1, idleSince: nil)
        }

        mutating func finishOne(at now: Instant) {
            switch state {
            case .shared(let inFlight, _) where inFlight > 0:
                state = .shared(inFlight: inFlight - 1, idleSince: inFlight == 1 ? now : nil)
            case .retiring(let inFlight) where inFlight > 0:
                state = .retiring(inFlight: inFlight - 1)
            default:
                return
            }
        }
    }
}
