/// The protocol state of one connection: which requests are in flight, which request an answer belongs to, and what to
/// send next. It performs no I/O: each method returns the actions to perform, in order.
///
/// A batch is a list of prepared statements and a synchronisation point. The server runs it as one implicit
/// transaction. Batches are pipelined, and an error in one does not affect another. A script (simple query protocol)
/// runs alone on the connection.
struct ConnectionStateMachine<Answer> {
    typealias RequestID = UInt64
    typealias Instant = ContinuousClock.Instant

    enum Request {
        case batch([Statement])
        case script
    }

    struct Statement {
        let key: PreparedKey
        let label: String
    }

    enum Action {
        case enterPipeline
        case exitPipeline
        case prepare(RequestID, statement: Int, name: String)
        case execute(RequestID, statement: Int, name: String)
        case sync
        case sendScript(RequestID)
        /// The server waits for COPY data that will never be sent.
        case failCopy
        case finish(RequestID, Result<[Answer], PostgresError>)
        /// The server will send nothing more for this request, whether it finished or was abandoned.
        case settled(RequestID)
        /// The connection can no longer be used.
        case close(PostgresError)
    }

    enum Event {
        case answer(Answer)
        case failure(ServerReport)
        /// The server skipped a statement of the batch because an earlier one failed.
        case skipped
        case copyIn
        case endOfCommand
        case sync(inTransaction: Bool)
        case unexpected
    }

    private let pipelineDepth: Int
    private var prepared: PreparedStatements
    private var pipeline: [Batch] = []
    private var script: Script?
    private var held: [Held] = []
    private var isInPipelineMode = false
    private var lastProgress: Instant
    /// The number of consecutive `endOfCommand` events.
    private var endedCommands = 0
    private var closedBy: PostgresError?

    init(pipelineDepth: Int, maximumPreparedStatements: Int, now: Instant) {
        self.pipelineDepth = pipelineDepth
        prepared = PreparedStatements(limit: maximumPreparedStatements)
        lastProgress = now
    }

    /// Whether the server owes an answer.
    var expectsAnswer: Bool { script != nil || !pipeline.isEmpty }

    /// If the server sends nothing until then, the connection counts as dead. Nil if there is no limit.
    private var silenceDeadline: Instant? {
        guard expectsAnswer, let silence = script?.maximumSilence ?? pipeline.first?.maximumSilence else { return nil }
        return lastProgress + silence
    }

    /// When ``tick(at:)`` must be called at the latest. It is asked for with each request and answer.
    var nextDeadline: Instant? {
        var next = silenceDeadline
        for batch in pipeline where !batch.isAbandoned { next = earlier(next, batch.deadline) }
        for request in held { next = earlier(next, request.deadline) }
        return next
    }

    /// Handles the deadlines that have passed. A server that is silent for too long is given up. If it only works on an
    /// earlier request of another caller, the caller whose time is over gets an error, and the request goes on.
    mutating func tick(at now: Instant) -> [Action] {
        if let silenceDeadline, silenceDeadline <= now {
            return [.close(.silence)]
        }
        let late = PostgresError(.connectionLost, "there was no answer within the time limit")
        var actions: [Action] = []
        for index in pipeline.indices where !pipeline[index].isAbandoned {
            guard let deadline = pipeline[index].deadline, deadline <= now else { continue }
            pipeline[index].isAbandoned = true
            actions.append(.finish(pipeline[index].id, .failure(late)))
        }
        let expired = held.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.id)
        held.removeAll { expired.contains($0.id) }
        return actions + expired.flatMap { [.finish($0, .failure(PostgresError(.acquireTimeout))), .settled($0)] }
    }

    /// - Parameters:
    ///   - maximumSilence: how long the server may send nothing while the request is the next to be answered; nil
    ///     means no limit.
    ///   - deadline: until when the caller waits; nil means no limit.
    mutating func submit(
        _ id: RequestID, _ request: Request, maximumSilence: Duration?, deadline: Instant? = nil, at now: Instant
    ) -> [Action] {
        if let closedBy { return [.finish(id, .failure(closedBy)), .settled(id)] }
        guard held.count < pipelineDepth else {
            return [.finish(id, .failure(PostgresError(.tooManyWaiters))), .settled(id)]
        }
        if !expectsAnswer { lastProgress = now }
        held.append(Held(id: id, request: request, maximumSilence: maximumSilence, deadline: deadline))
        return startHeld()
    }

    /// The caller no longer waits. A request that was sent continues, unless `closes` is true: then the connection is closed.
    ///
    /// The server is never asked to cancel. If it waits for a synchronous standby then, it has committed, and would answer a
    /// cancel request as if the standby had the change too.
    mutating func abandon(_ id: RequestID, closes: Bool) -> [Action] {
        let cancelled = Action.finish(id, .failure(PostgresError(.cancelled)))
        let end = closes ? [Action.close(PostgresError(.connectionLost, "the task was cancelled"))] : []
        if let index = held.firstIndex(where: { $0.id == id }) {
            held.remove(at: index)
            return [cancelled, .settled(id)]
        }
        if let index = pipeline.firstIndex(where: { $0.id == id && !$0.isAbandoned }) {
            pipeline[index].isAbandoned = true
            return [cancelled] + end
        }
        guard script?.id == id, script?.isAbandoned == false else { return [] }
        script?.isAbandoned = true
        return [cancelled] + end
    }

    mutating func receive(_ event: Event, at now: Instant) -> [Action] {
        lastProgress = now
        if case .endOfCommand = event { endedCommands += 1 } else { endedCommands = 0 }
        if case .failure(let report) = event, report.endsSession {
            return [.close(PostgresError(.connectionLost, server: report))]
        }
        if script != nil { return receiveInScript(event) }
        return pipeline.isEmpty ? [] : receiveInPipeline(event)
    }

    /// The connection is gone. All requests fail, because no more answers will arrive.
    mutating func close(_ error: PostgresError) -> [Action] {
        guard closedBy == nil else { return [] }
        closedBy = error
        var waiting = pipeline.map { ($0.id, $0.isAbandoned) }
        if let script { waiting.append((script.id, script.isAbandoned)) }
        waiting += held.map { ($0.id, false) }
        pipeline = []
        script = nil
        held = []
        return waiting.flatMap { id, isAbandoned in
            isAbandoned ? [.settled(id)] : [.finish(id, .failure(error)), .settled(id)]
        }
    }
}

// MARK: - Sending

extension ConnectionStateMachine {
    private mutating func startHeld() -> [Action] {
        var actions: [Action] = []
        while let next = held.first, mayStart(next.request) {
            held.removeFirst()
            actions += start(next)
        }
        return actions
    }

    private func mayStart(_ request: Request) -> Bool {
        guard script == nil else { return false }
        if case .batch = request { return pipeline.count < pipelineDepth }
        return pipeline.isEmpty
    }

    private mutating func start(_ next: Held) -> [Action] {
        switch next.request {
        case .batch(let statements):
            let mode: [Action] = isInPipelineMode ? [] : [.enterPipeline]
            isInPipelineMode = true
            return mode
                + send(
                    Batch(
                        id: next.id, statements: statements, maximumSilence: next.maximumSilence,
                        deadline: next.deadline))
        case .script:
            let mode: [Action] = isInPipelineMode ? [.exitPipeline] : []
            isInPipelineMode = false
            script = Script(id: next.id, maximumSilence: next.maximumSilence)
            return mode + [.sendScript(next.id)]
        }
    }

    private mutating func send(_ batch: Batch) -> [Action] {
        var batch = batch
        var actions: [Action] = []
        for (index, statement) in batch.statements.enumerated() {
            let known = prepared.name(of: statement.key)
            let name = known ?? prepared.register(statement.key, label: statement.label)
            if known == nil {
                batch.steps.append(Step(statement: index, name: name, prepares: true))
                actions.append(.prepare(batch.id, statement: index, name: name))
            }
            batch.steps.append(Step(statement: index, name: name, prepares: false))
            actions.append(.execute(batch.id, statement: index, name: name))
        }
        pipeline.append(batch)
        return actions + [.sync]
    }
}

// MARK: - Receiving

extension ConnectionStateMachine {
    private mutating func receiveInPipeline(_ event: Event) -> [Action] {
        switch event {
        case .answer(let answer):
            if pipeline[0].takeStep()?.prepares == false { pipeline[0].answers.append(answer) }
            return []
        case .failure(let report):
            fail(report)
            return []
        case .skipped:
            if let step = pipeline[0].takeStep(), step.prepares { forget(step) }
            return []
        case .endOfCommand:
            // libpq returns one after each answer. Two in a row mean that no command is in flight.
            guard endedCommands < 2 else {
                return [.close(PostgresError(.protocolViolation, "an answer is missing"))]
            }
            return []
        case .sync(let inTransaction):
            return finishBatch(inTransaction: inTransaction)
        case .copyIn, .unexpected:
            return [.close(PostgresError(.protocolViolation, "unexpected answer to a batch (which must not COPY)"))]
        }
    }

    private mutating func fail(_ report: ServerReport) {
        // If no step is left, the implicit commit at the synchronisation point failed.
        let step = pipeline[0].takeStep()
        if let step, step.prepares || report.isStalePreparation { forget(step) }
        guard pipeline[0].failure == nil else { return }
        pipeline[0].isStale = report.isStalePreparation
        pipeline[0].failure = PostgresError(report, statement: pipeline[0].statements.count > 1 ? step?.statement : nil)
    }

    private mutating func forget(_ step: Step) {
        prepared.forget(pipeline[0].statements[step.statement].key, name: step.name)
    }

    private mutating func finishBatch(inTransaction: Bool) -> [Action] {
        var batch = pipeline.removeFirst()
        if batch.isStale, !batch.wasSentTwice, !batch.isAbandoned, !inTransaction {
            // The failure rolled back the whole batch, so it is safe to send it again.
            batch.startAnew()
            return send(batch) + startHeld()
        }
        let settled = [Action.settled(batch.id)] + startHeld()
        if batch.isAbandoned { return settled }
        if let failure = batch.failure { return [.finish(batch.id, .failure(failure))] + settled }
        guard batch.answers.count == batch.statements.count else {
            return [.close(PostgresError(.protocolViolation, "an answer is missing"))]
        }
        return [.finish(batch.id, .success(batch.answers))] + settled
    }

    private mutating func receiveInScript(_ event: Event) -> [Action] {
        switch event {
        case .answer(let answer):
            script?.lastAnswer = answer
            return []
        case .failure(let report):
            if script?.failure == nil { script?.failure = PostgresError(report, statement: nil) }
            return []
        case .copyIn:
            script?.failure = PostgresError(.invalidStatement, "a script must not contain COPY FROM STDIN")
            return [.failCopy]
        case .endOfCommand:
            return finishScript()
        case .skipped, .sync, .unexpected:
            return [.close(PostgresError(.protocolViolation, "unexpected answer to a script"))]
        }
    }

    private mutating func finishScript() -> [Action] {
        guard let done = script else { return [] }
        script = nil
        let settled = [Action.settled(done.id)] + startHeld()
        if done.isAbandoned { return settled }
        if let failure = done.failure { return [.finish(done.id, .failure(failure))] + settled }
        return [.finish(done.id, .success(done.lastAnswer.map { [$0] } ?? []))] + settled
    }
}

// MARK: - Parts

extension ConnectionStateMachine {
    private struct Held {
        let id: RequestID
        let request: Request
        let maximumSilence: Duration?
        let deadline: Instant?
    }

    private struct Step {
        let statement: Int
        let name: String
        let prepares: Bool
    }

    private struct Batch {
        let id: RequestID
        let statements: [Statement]
        let maximumSilence: Duration?
        let deadline: Instant?
        var steps: [Step] = []
        var answers: [Answer] = []
        var failure: PostgresError?
        var isStale = false
        var wasSentTwice = false
        var isAbandoned = false
        private var nextStep = 0

        init(id: RequestID, statements: [Statement], maximumSilence: Duration?, deadline: Instant?) {
            self.id = id
            self.statements = statements
            self.maximumSilence = maximumSilence
            self.deadline = deadline
        }

        mutating func takeStep() -> Step? {
            guard nextStep < steps.count else { return nil }
            defer { nextStep += 1 }
            return steps[nextStep]
        }

        mutating func startAnew() {
            steps = []
            answers = []
            failure = nil
            isStale = false
            wasSentTwice = true
            nextStep = 0
        }
    }

    private struct Script {
        let id: RequestID
        let maximumSilence: Duration?
        var lastAnswer: Answer?
        var failure: PostgresError?
        var isAbandoned = false
    }
}

extension PostgresError {
    /// The error that the server reported for a statement.
    fileprivate init(_ report: ServerReport, statement: Int?) {
        let code: Code = report.sqlState == .queryCanceled ? .statementTimeout : .server(report.sqlState)
        self.init(code, server: report)
        statementIndex = statement
    }
}
