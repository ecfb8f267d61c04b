internal import Logging

/// Performs the actions of the pool's state machine: opens, hands out and closes connections.
@PostgresLoop
final class Pool {
    typealias RequestID = PoolStateMachine.RequestID

    /// Called with the connection for a request, or with the error.
    typealias Granted = @PostgresLoop (Result<WireConnection, PostgresError>) -> Void

    let configuration: PostgresConfiguration
    private let parameters: Result<ConnectionParameters, PostgresError>
    private let logger: Logger
    private let metrics: PoolMetrics
    private var machine: PoolStateMachine
    private var connections: [PoolStateMachine.ConnectionID: WireConnection] = [:]
    private var waiters: [RequestID: Waiter] = [:]
    private var random = SystemRandomNumberGenerator()
    private var lastRequest: RequestID = 0
    private var lastConnectFailure: PostgresError?
    /// Since when no connection could be made; nil if the last attempt has made one.
    private var unreachableSince: ContinuousClock.Instant?
    private var stopWaiter: CheckedContinuation<Void, Never>?
    private var isStopped = false

    private struct Waiter {
        let since: ContinuousClock.Instant
        let granted: Granted
    }

    nonisolated init(_ configuration: PostgresConfiguration, _ logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        metrics = PoolMetrics(configuration)
        machine = PoolStateMachine(configuration)
        parameters = Result { () throws(PostgresError) in try ConnectionParameters(configuration) }
    }

    /// - Throws: ``PostgresError/Code/invalidConfiguration``; ``PostgresError/Code/shutDown`` if the pool was started before.
    func start() throws(PostgresError) {
        try configuration.validate()
        guard let actions = machine.start(at: .now) else {
            throw PostgresError(.shutDown, "run() must be called only once per client")
        }
        perform(actions)
    }

    /// Lets requests in flight finish, at most for the shutdown timeout, and returns when all connections are closed.
    func shutDown() async {
        perform(machine.shutDown(at: .now))
        guard !isStopped else { return }
        await withCheckedContinuation { stopWaiter = $0 }
    }

    func nextRequest() -> RequestID {
        lastRequest += 1
        return lastRequest
    }

    /// Calls `granted` once, with the connection for this request or with the error.
    ///
    /// - Parameter deadline: until when the caller waits at most; nil leaves it to the acquire timeout.
    func acquire(
        _ id: RequestID, _ kind: PoolStateMachine.Kind, until deadline: ContinuousClock.Instant? = nil,
        _ granted: @escaping Granted
    ) {
        if case .failure(let error) = parameters { return granted(.failure(error)) }
        let now = ContinuousClock.now
        waiters[id] = Waiter(since: now, granted: granted)
        perform(machine.acquire(id, kind, until: deadline, at: now))
    }

    /// The caller no longer waits for a connection.
    func cancel(_ id: RequestID) {
        perform(machine.cancel(id, at: .now))
    }

    /// Closes a connection whose session can no longer be used.
    func discard(_ connection: WireConnection) {
        let error = PostgresError(.connectionLost, "the session could not be reset")
        connectionLost(connection, error)
        connection.close(error)
    }

    /// The lease has ended.
    func returnLease(_ connection: WireConnection) {
        connection.isLeased = false
        perform(machine.leaseReturned(connection.id, at: .now))
    }
}

// MARK: - Effects

extension Pool {
    private func perform(_ actions: [PoolStateMachine.Action]) {
        for action in actions { perform(action) }
        Reactor.shared.setDeadline(machine.nextDeadline, for: self)
        metrics.show(machine.load)
    }

    private func perform(_ action: PoolStateMachine.Action) {
        switch action {
        case .connect(let id):
            connect(id)
        case .grant(let request, let id):
            grant(request, id)
        case .fail(let request, let code):
            if code != .cancelled { metrics.acquireFailed() }
            waiters.removeValue(forKey: request)?.granted(.failure(error(code)))
        case .close(let id):
            connections.removeValue(forKey: id)?.close(PostgresError(.connectionLost, "the client was shut down"))
        case .stopped:
            isStopped = true
            stopWaiter?.resume()
            stopWaiter = nil
        }
    }

    private func grant(_ request: RequestID, _ id: PoolStateMachine.ConnectionID) {
        guard let waiter = waiters.removeValue(forKey: request) else { return }
        guard let connection = connections[id] else {
            return waiter.granted(.failure(PostgresError(.connectionLost)))
        }
        metrics.acquired(after: waiter.since.duration(to: .now))
        waiter.granted(.success(connection))
    }

    private func error(_ code: PostgresError.Code) -> PostgresError {
        code == .cannotConnect ? lastConnectFailure ?? PostgresError(code) : PostgresError(code)
    }

    private func connect(_ id: PoolStateMachine.ConnectionID) {
        guard case .success(let parameters) = parameters else { return }
        Connector.connect(parameters) { [self] result in
            switch result {
            case .success(let connection): connected(id, connection)
            case .failure(let error): connectFailed(id, error)
            }
        }
    }

    private func connected(_ id: PoolStateMachine.ConnectionID, _ connection: OpenConnection) {
        logger.debug("connected to PostgreSQL", metadata: ["connection": "\(id)"])
        if let since = unreachableSince.take() {
            let seconds = since.duration(to: .now).components.seconds
            logger.notice("PostgreSQL can be reached again", metadata: ["after_seconds": "\(seconds)"])
        }
        connections[id] = WireConnection(id: id, connection, configuration, logger: logger, owner: self)
        perform(machine.connected(id, at: .now))
    }

    private func connectFailed(_ id: PoolStateMachine.ConnectionID, _ error: PostgresError) {
        logger.warning("cannot connect to PostgreSQL", metadata: ["reason": "\(error)"])
        lastConnectFailure = error
        unreachableSince = unreachableSince ?? .now
        metrics.connectFailed()
        perform(machine.connectFailed(id, at: .now, using: &random))
    }
}

extension Pool: WireConnectionOwner {
    func requestSettled(on connection: WireConnection) {
        guard !connection.isLeased else { return }
        perform(machine.finished(connection.id, at: .now))
    }

    func serverIsReadOnly(_ connection: WireConnection) {
        logger.warning("PostgreSQL server is read-only; replacing its connection")
        perform(machine.retire(connection.id, at: .now, using: &random))
    }

    func connectionLost(_ connection: WireConnection, _ error: PostgresError) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        metrics.connectionLost()
        logger.warning("PostgreSQL connection lost", metadata: ["reason": "\(error)"])
        perform(machine.lost(connection.id, wasSilent: error.isSilence, at: .now, using: &random))
    }
}

extension Pool: ReactorClient {
    func socketIsReady() {}

    func deadlineHasPassed() {
        perform(machine.tick(at: .now))
    }
}
