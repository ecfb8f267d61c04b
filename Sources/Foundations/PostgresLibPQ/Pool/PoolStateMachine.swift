internal import Retries

/// Decides which request gets which connection, and when connections are opened and closed. It performs no I/O: each
/// method returns the actions to perform.
///
/// A connection is shared by up to `pipelineDepth` requests, or leased to one caller. A caller that needs a lease gets an
/// idle or a new connection. If there is none, a shared connection takes no more requests until it is idle, and is then
/// leased. There are no health checks: errors show which connections are dead. A lost connection is replaced. While
/// connecting fails, there is one attempt at a time, with increasing delays.
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
        /// The pool no longer uses the connection.
        case close(ConnectionID)
        /// The shutdown is complete: no connection is left.
        case stopped
    }

    /// How long a connection that was given up counts if the server has no statement timeout.
    private static let givenUpWithoutLimit = Duration.seconds(60)
    /// A server whose commits wait for a standby keeps connections that were given up. So they count longer each time that as many
    /// were given up as the pool has, up to so many times as long.
    private static let longestGivenUpFactor = 16
    /// Without another such loss for so long, the count begins anew.
    private static let calmTime = Duration.seconds(120)

    private enum Phase {
        case created
        case running
        case stopping
        case stopped
    }

    private let limits: PostgresConfiguration
    private var phase = Phase.created
    /// While stopping: when requests that are still in flight are cut off.
    private var cutOffAt: Instant?
    private var members: [Member] = []
    private var lastConnection = 0
    private var sharedWaiters = WaiterQueue()
    private var leaseWaiters = WaiterQueue()

    private let backOff: BackOff
    /// How many attempts to connect have failed since the last success.
    private var failedAttempts = 0
    private var retryAt: Instant?
    /// When the newest connection will have lasted long enough to reset the back-off.
    private var stableAt: Instant?
    private var lastAttemptFailed = false
    /// Until when a connection that was given up counts as one of the server's: the server may still work there.
    private var givenUpUntil: [Instant] = []
    private var givenUpCount = 0
    private var lastGivenUp: Instant?

    init(_ limits: PostgresConfiguration) {
        self.limits = limits
        backOff = BackOff(
            first: .milliseconds(limits.backOff.initialMilliseconds),
            longest: .milliseconds(limits.backOff.maximumMilliseconds), jitter: 0.5...1)
    }

    /// For those who watch the pool.
    var load: PoolLoad {
        var load = PoolLoad(waiting: sharedWaiters.count + leaseWaiters.count)
        for member in members where !member.isConnecting {
            load.open += 1
            if !member.isIdle { load.inUse += 1 }
            load.requestsInFlight += member.requestsInFlight
            load.deepestPipeline = max(load.deepestPipeline, member.requestsInFlight)
        }
        return load
    }

    /// When `tick` must be called at the latest.
    var nextDeadline: Instant? {
        let waiters = earlier(sharedWaiters.nextDeadline, leaseWaiters.nextDeadline)
        let room = sharedWaiters.isEmpty && leaseWaiters.isEmpty ? nil : givenUpUntil.first
        return earlier(earlier(earlier(waiters, retryAt), earlier(cutOffAt, idleDeadline)), room)
    }

    /// When the first idle connection beyond the minimum must be closed.
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

    /// - Parameter callerDeadline: until when the caller waits at most.
    mutating func acquire(
        _ id: RequestID, _ kind: Kind, until callerDeadline: Instant? = nil, at now: Instant
    ) -> [Action] {
        guard phase == .created || phase == .running else { return [.fail(id, .shutDown)] }
        let longest = now + .seconds(limits.acquireTimeoutSeconds)
        let deadline = callerDeadline.map { min($0, longest) } ?? longest
        switch kind {
        case .shared: sharedWaiters.append(id, until: deadline)
        case .lease: leaseWaiters.append(id, until: deadline)
        }
        let actions = settle(now)
        guard sharedWaiters.count + leaseWaiters.count > limits.maximumWaiters else { return actions }
        // One request too many waits. The newcomer fails: it is still waiting, because each queue is first come, first
        // served.
        _ = sharedWaiters.remove(id) || leaseWaiters.remove(id)
        return actions + [.fail(id, .tooManyWaiters)]
    }

    /// The caller no longer wants a connection. This has no effect if it already has one.
    mutating func cancel(_ id: RequestID, at now: Instant) -> [Action] {
        guard sharedWaiters.remove(id) || leaseWaiters.remove(id) else { return [] }
        return [.fail(id, .cancelled)] + settle(now)
    }

    /// A shared request has received its whole answer.
    mutating func finished(_ id: ConnectionID, at now: Instant) -> [Action] {
        update(id) { $0.finishOne(at: now) }
        return settle(now)
    }

    /// A lease has ended, and its session has been reset.
    mutating func leaseReturned(_ id: ConnectionID, at now: Instant) -> [Action] {
        update(id) { $0.state = .shared(Pipeline(idleSince: now)) }
        return settle(now)
    }

    mutating func connected(_ id: ConnectionID, at now: Instant) -> [Action] {
        guard members.contains(where: { $0.id == id }) else { return [.close(id)] }
        update(id) { $0.state = .shared(Pipeline(idleSince: now)) }
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

    /// An established connection was lost.
    ///
    /// - Parameter wasSilent: whether the server sent nothing for too long. Then it may still have the connection.
    mutating func lost(
        _ id: ConnectionID, wasSilent: Bool = false, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard remove(id) else { return [] }
        if wasSilent { noteGivenUp(at: now) }
        if let stableAt, now < stableAt { postpone(from: now, using: &random) }
        return settle(now)
    }

    /// The connection's server is no longer the right one (it has become read-only). The connection gets no more
    /// requests, and is closed when its requests in flight have ended.
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

    /// Handles the deadlines that have passed.
    mutating func tick(at now: Instant) -> [Action] {
        if let retry = retryAt, retry <= now { retryAt = nil }
        let code = hasReadyConnection || phase == .created ? PostgresError.Code.acquireTimeout : .cannotConnect
        let expired = sharedWaiters.removeExpired(at: now) + leaseWaiters.removeExpired(at: now)
        return expired.map { .fail($0, code) } + closeIdle(now) + settle(now)
    }

    /// Refuses new requests. Requests in flight, and attempts to connect, may finish within the shutdown timeout.
    mutating func shutDown(at now: Instant) -> [Action] {
        guard phase == .created || phase == .running else { return [] }
        phase = .stopping
        cutOffAt = now + .seconds(limits.shutdownTimeoutSeconds)
        retryAt = nil
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
            givenUpUntil.removeAll { $0 <= now }
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
        while let index = leastLoaded(except: held, at: now), let id = sharedWaiters.popFirst() {
            members[index].beginOne(at: now)
            actions.append(.grant(id, members[index].id))
        }
        return actions
    }

    /// How many lease waiters may get a connection. If there may be two connections or more, one is kept for shared
    /// requests.
    private var leaseDemand: Int {
        guard !leaseWaiters.isEmpty else { return 0 }
        let leased = members.count { $0.state == .leased }
        return min(leaseWaiters.count, max(1, limits.maximumConnections - 1) - leased)
    }

    /// The connections that take no more shared requests because a lease waits for them: those with the fewest requests
    /// in flight, and only as many as the pool cannot open in addition.
    private var connectionsHeldForLeases: Set<ConnectionID> {
        let coming = members.count(where: \.isConnecting)
        let room = lastAttemptFailed ? 0 : limits.maximumConnections - members.count
        let missing = leaseDemand - coming - room
        guard missing > 0 else { return [] }
        let shared = members.compactMap { member in member.inFlight.map { (load: $0, id: member.id) } }
        return Set(shared.sorted(by: <).prefix(missing).map(\.id))
    }

    /// The connection on which the next request probably waits for the shortest time.
    private func leastLoaded(except held: Set<ConnectionID>, at now: Instant) -> Int? {
        var best: (index: Int, pipeline: Pipeline)?
        for (index, member) in members.enumerated() {
            guard let pipeline = member.pipeline, pipeline.inFlight < limits.pipelineDepth, !held.contains(member.id)
            else { continue }
            if best.map({ pipeline.isShorter(than: $0.pipeline, at: now) }) ?? true { best = (index, pipeline) }
        }
        return best?.index
    }

    /// Opens connections for waiting requests and up to the configured minimum. If all connections are busy, it opens one
    /// more, so that the next request finds an idle connection.
    private mutating func grow(_ now: Instant) -> [Action] {
        guard retryAt.map({ $0 <= now }) ?? true else { return [] }
        let allAreBusy = hasReadyConnection && !members.contains(where: \.isIdle)
        let demand = sharedWaiters.count + leaseDemand + (allAreBusy ? 1 : 0)
        let atOnce = lastAttemptFailed ? 1 : limits.maximumConcurrentConnects
        // A server that hangs must not get more and more connections. One can always try.
        let most = max(1, limits.maximumConnections - givenUpUntil.count)
        var connecting = members.count(where: \.isConnecting)
        var actions: [Action] = []
        while connecting < atOnce, members.count < most,
            connecting < demand || members.count < limits.minimumConnections
        {
            lastConnection += 1
            members.append(Member(id: lastConnection))
            actions.append(.connect(lastConnection))
            connecting += 1
        }
        return actions
    }

    private mutating func noteGivenUp(at now: Instant) {
        if let lastGivenUp, now - lastGivenUp > Self.calmTime { givenUpCount = 0 }
        lastGivenUp = now
        let rounds = givenUpCount / limits.maximumConnections
        givenUpCount += 1
        let factor = min(Self.longestGivenUpFactor, 1 << min(rounds, 10))
        givenUpUntil.append(now + (limits.statementTimeout ?? Self.givenUpWithoutLimit) * factor)
        givenUpUntil.sort()
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
        // What is still connecting then is closed when it opens.
        if all { members.removeAll(where: \.isConnecting) }
        let over = members.filter { all || $0.isIdle || $0.isOver }.map(\.id)
        members.removeAll { over.contains($0.id) }
        guard members.isEmpty else { return over.map { .close($0) } }
        phase = .stopped
        cutOffAt = nil
        return over.map { .close($0) } + [.stopped]
    }

    private mutating func postpone(from now: Instant, using random: inout some RandomNumberGenerator) {
        guard phase == .running else { return }
        if let stableAt, stableAt <= now { failedAttempts = 0 }
        stableAt = nil
        failedAttempts += 1
        retryAt = now + backOff.delay(afterFailures: failedAttempts, using: &random)
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
