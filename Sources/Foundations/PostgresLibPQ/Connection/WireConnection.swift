internal import CLibPQ
internal import Logging

/// Receives the events that a connection cannot handle itself.
@PostgresLoop
protocol WireConnectionOwner: AnyObject {
    /// A request has received its whole answer, or never will.
    func requestSettled(on connection: WireConnection)
    /// The server refused a write. After a failover it can be the former primary, which is now a standby.
    func serverIsReadOnly(_ connection: WireConnection)
    /// The connection was lost and has closed itself.
    func connectionLost(_ connection: WireConnection, _ error: PostgresError)
}

/// One connection. It performs its state machine's actions with libpq, and passes libpq's results to the state machine.
@PostgresLoop
final class WireConnection {
    typealias RequestID = UInt64
    typealias Completion = @PostgresLoop (Result<[PostgresResult], PostgresError>) -> Void

    enum Request {
        case batch([BoundStatement])
        /// How long a script takes is unknown, so the caller sets how long the server may send nothing; nil means no
        /// limit.
        case script(String, maximumSilence: Duration? = nil)
    }

    private struct Pending {
        let request: Request
        let completion: Completion
    }

    /// How many times as long as a caller waits at most the server may send nothing. A statement that only waits for a lock should not
    /// cost the others on the connection their answers.
    private static let silenceFactor = 2

    let id: Int
    /// Whether the connection is leased to one caller, who may change the session's settings.
    var isLeased = false
    /// The session's statement timeout; nil means no limit.
    var statementTimeout: Duration?

    private let pointer: OpaquePointer
    private let silenceGrace: Duration
    private let logger: Logger
    private let noticeSink: Unmanaged<NoticeSink>
    private weak var owner: (any WireConnectionOwner)?
    private var machine: ConnectionStateMachine<PostgresResult>
    private var pending: [RequestID: Pending] = [:]
    private var actions: [ConnectionStateMachine<PostgresResult>.Action] = []
    private var isPerforming = false
    private var watch: Reactor.Token?
    private var isClosed = false

    init(
        id: Int, _ connection: OpenConnection, _ configuration: PostgresConfiguration, logger: Logger,
        owner: any WireConnectionOwner
    ) {
        self.id = id
        self.owner = owner
        self.logger = logger
        statementTimeout = configuration.statementTimeout
        silenceGrace = .seconds(configuration.silenceGraceSeconds)
        pointer = connection.pointer
        noticeSink = NoticeSink.install(on: connection.pointer, logger)
        machine = ConnectionStateMachine(
            pipelineDepth: configuration.pipelineDepth,
            maximumPreparedStatements: configuration.maximumPreparedStatements, now: .now)
        watch = Reactor.shared.watch(PQsocket(pointer), for: self)
    }

    /// Whether a transaction is open or could be open: true unless libpq reports the session as idle.
    var isInTransaction: Bool {
        isClosed || PQtransactionStatus(pointer) != PQTRANS_IDLE
    }

    /// Sends a request. Calls `completion` once, with the answers (one per statement of a batch) or with the error.
    ///
    /// - Parameters:
    ///   - deadline: until when the caller waits; nil leaves it to the statement timeout.
    ///   - limit: how long a caller waits at most. The one of this request can have waited for a connection until now, which is not the
    ///     server's silence.
    func submit(
        _ id: RequestID, _ request: Request, until deadline: ContinuousClock.Instant? = nil, limit: Duration? = nil,
        completion: @escaping Completion
    ) {
        pending[id] = Pending(request: request, completion: completion)
        perform(
            machine.submit(
                id, request.kind,
                maximumSilence: limit.map { $0 * Self.silenceFactor } ?? maximumSilence(request),
                deadline: deadline, at: .now))
        pump()
    }

    /// The caller no longer waits for the request. On a lease, the connection is closed.
    func abandon(_ id: RequestID) {
        perform(machine.abandon(id, closes: isLeased))
        pump()
    }

    /// The server sends a batch's answers together, and each statement may take the whole statement timeout, so the
    /// timeouts add up.
    private func maximumSilence(_ request: Request) -> Duration? {
        switch request {
        case .batch(let statements): statementTimeout.map { $0 * statements.count + silenceGrace }
        case .script(_, let maximumSilence): maximumSilence
        }
    }

    /// Closes the connection. Requests in flight fail with `error`.
    func close(_ error: PostgresError) {
        guard !isClosed else { return }
        isClosed = true
        Reactor.shared.setDeadline(nil, for: self)
        if let watch { Reactor.shared.stopWatching(watch) }
        PQfinish(pointer)
        noticeSink.release()
        perform(machine.close(error))
    }

    private func lose(_ error: PostgresError) {
        guard !isClosed else { return }
        // First this: otherwise the pool gives the connection to those who wait, as soon as a request on it has failed.
        owner?.connectionLost(self, error)
        close(error)
    }
}

// MARK: - Sending

extension WireConnection {
    /// Performs the actions in order. If an action leads to more actions, these follow after the current ones.
    private func perform(_ new: [ConnectionStateMachine<PostgresResult>.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        var next = 0
        while next < actions.count {
            perform(actions[next])
            next += 1
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func perform(_ action: ConnectionStateMachine<PostgresResult>.Action) {
        switch action {
        case .finish(let id, let result):
            pending[id]?.completion(result)
        case .settled(let id):
            pending[id] = nil
            owner?.requestSettled(on: self)
        case .close(let error):
            lose(error)
        default:
            guard !isClosed else { return }
            if !send(action) { lose(PostgresError(.connectionLost, pointer.lastMessage)) }
        }
    }

    /// - Returns: whether libpq accepted it.
    private func send(_ action: ConnectionStateMachine<PostgresResult>.Action) -> Bool {
        switch action {
        case .enterPipeline:
            return PQenterPipelineMode(pointer) == 1
        case .exitPipeline:
            return PQexitPipelineMode(pointer) == 1
        case .prepare(let id, let index, let name):
            return statement(id, index).map { $0.prepare(on: pointer, name: name) } ?? false
        case .execute(let id, let index, let name):
            return statement(id, index).map { $0.execute(on: pointer, name: name) } ?? false
        case .sync:
            return card_companion_pipeline_sync(pointer) == 1
        case .sendScript(let id):
            guard case .script(let sql, _) = pending[id]?.request else { return false }
            return PQsendQuery(pointer, sql) == 1
        case .failCopy:
            return PQputCopyEnd(pointer, "the client has no data for this COPY") == 1
        case .finish, .settled, .close:
            return true
        }
    }

    private func statement(_ id: RequestID, _ index: Int) -> BoundStatement? {
        guard case .batch(let statements) = pending[id]?.request else { return nil }
        return statements[index]
    }

    /// Sends what libpq has buffered, reads what it has received, and arms the reactor for the next event.
    ///
    /// Must be called after every libpq call that sends: if libpq cannot send, it reads, and no event reports the data
    /// that it has read. While data is left to send, we wait for both reading and writing, because the server may accept
    /// no more until we have read its answers.
    private func pump() {
        guard !isPerforming else { return }
        var unsent: CInt
        repeat {
            guard !isClosed else { return }
            unsent = PQflush(pointer)
        } while readAnswers()
        guard !isClosed else { return }
        guard unsent >= 0, let watch else {
            return lose(PostgresError(.connectionLost, pointer.lastMessage))
        }
        Reactor.shared.arm(watch, for: unsent == 0 ? .read : [.read, .write])
        Reactor.shared.setDeadline(machine.nextDeadline, for: self)
    }
}

// MARK: - Receiving

extension WireConnection: ReactorClient {
    func socketIsReady() {
        guard !isClosed else { return }
        repeat {
            let isAlive = PQconsumeInput(pointer) == 1
            _ = readAnswers()
            guard !isClosed else { return }
            discardNotifications()
            // Answers that arrived before the connection ended have been read by now.
            guard isAlive, PQstatus(pointer) == CONNECTION_OK else {
                return lose(PostgresError(.connectionLost, pointer.lastMessage))
            }
        } while card_companion_pending_tls_bytes(pointer) > 0
        pump()
    }

    func deadlineHasPassed() {
        perform(machine.tick(at: .now))
        pump()
    }

    /// - Returns: whether there was an answer.
    private func readAnswers() -> Bool {
        var foundSome = false
        while !isClosed, machine.expectsAnswer, PQisBusy(pointer) == 0 {
            let result = PQgetResult(pointer).map { PostgresResult($0) }
            foundSome = true
            guard !noticeSink.takeUnretainedValue().isCommitUncertain else {
                lose(PostgresError(.connectionLost, "the server did not wait for its synchronous standby"))
                break
            }
            guard result?.status != PGRES_FATAL_ERROR || result?.serverReport != nil else {
                // An error of libpq itself, not a report from the server.
                lose(PostgresError(.connectionLost, pointer.lastMessage))
                break
            }
            perform(machine.receive(event(result), at: .now))
        }
        refuseSharedTransaction()
        return foundSome
    }

    /// On a shared connection, an open transaction would include the statements of other callers.
    private func refuseSharedTransaction() {
        guard !isClosed, !isLeased else { return }
        let status = PQtransactionStatus(pointer)
        guard status == PQTRANS_INTRANS || status == PQTRANS_INERROR else { return }
        logger.error("statement started a transaction on a shared connection; closing the connection")
        lose(PostgresError(.connectionLost, "transaction started on a shared connection; use withConnection"))
    }

    private func event(_ result: PostgresResult?) -> ConnectionStateMachine<PostgresResult>.Event {
        guard let result else { return .endOfCommand }
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .answer(result)
        case PGRES_PIPELINE_SYNC: return .sync(inTransaction: isLeased && isInTransaction)
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_COPY_IN: return .copyIn
        case PGRES_FATAL_ERROR: return result.serverReport.map(failure) ?? .unexpected
        default: return .unexpected
        }
    }

    private func failure(_ report: ServerReport) -> ConnectionStateMachine<PostgresResult>.Event {
        // On a lease, the caller may have chosen a read-only transaction.
        if report.sqlState == .readOnlySQLTransaction, !isLeased { owner?.serverIsReadOnly(self) }
        return .failure(report)
    }

    /// Nothing listens, but a session that is lent could.
    private func discardNotifications() {
        while let notification = PQnotifies(pointer) { PQfreemem(notification) }
    }
}
