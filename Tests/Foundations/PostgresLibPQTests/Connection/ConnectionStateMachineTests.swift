import Testing

@testable import PostgresLibPQ

/// Wraps the machine with strings as answers and strings for its actions.
private struct Harness {
    typealias Machine = ConnectionStateMachine<String>

    private var machine: Machine
    private let start = ContinuousClock.now
    private var seconds = 0.0

    init(pipelineDepth: Int = 4, maximumPreparedStatements: Int = 10) {
        machine = Machine(
            pipelineDepth: pipelineDepth, maximumPreparedStatements: maximumPreparedStatements, now: start)
    }

    var expectsAnswer: Bool { machine.expectsAnswer }

    var deadlineSeconds: Double? {
        machine.nextDeadline.map { ($0 - start) / .seconds(1) }
    }

    mutating func pass(seconds passed: Double) { seconds += passed }

    mutating func batch(_ id: UInt64, _ names: String..., silence: Double? = nil, limit: Double? = nil) -> [String] {
        let statements = names.map { Machine.Statement(key: PreparedKey(sql: $0, types: []), label: $0) }
        return submit(id, .batch(statements), silence ?? limit, limit)
    }

    mutating func tick() -> [String] { words(machine.tick(at: now)) }

    mutating func script(_ id: UInt64, silence: Double? = nil) -> [String] { submit(id, .script, silence) }

    mutating func abandon(_ id: UInt64, closes: Bool = false) -> [String] {
        words(machine.abandon(id, closes: closes))
    }

    mutating func close() -> [String] { words(machine.close(PostgresError(.connectionLost))) }

    /// The events for one statement: its answer and libpq's end of the command.
    mutating func answer(_ word: String) -> [String] { receive(.answer(word)) + receive(.endOfCommand) }

    mutating func failure(_ state: SQLState, routine: String? = nil) -> [String] {
        receive(.failure(ServerReport(sqlState: state, routine: routine))) + receive(.endOfCommand)
    }

    mutating func skipped() -> [String] { receive(.skipped) + receive(.endOfCommand) }

    mutating func sync(inTransaction: Bool = false) -> [String] { receive(.sync(inTransaction: inTransaction)) }

    mutating func receive(_ event: Machine.Event) -> [String] { words(machine.receive(event, at: now)) }

    private var now: ContinuousClock.Instant { start + .seconds(seconds) }

    private mutating func submit(
        _ id: UInt64, _ request: Machine.Request, _ silence: Double?, _ limit: Double? = nil
    ) -> [String] {
        words(
            machine.submit(
                id, request, maximumSilence: silence.map { .seconds($0) }, deadline: limit.map { now + .seconds($0) },
                at: now))
    }

    private func words(_ actions: [Machine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .enterPipeline: "enter"
            case .exitPipeline: "exit"
            case .prepare(let id, let statement, let name): "prepare \(id).\(statement) \(name)"
            case .execute(let id, let statement, let name): "execute \(id).\(statement) \(name)"
            case .sync: "sync"
            case .sendScript(let id): "script \(id)"
            case .failCopy: "fail copy"
            case .finish(let id, .success(let answers)): "\(id) = \(answers.joined(separator: ", "))"
            case .finish(let id, .failure(let error)):
                "\(id) ! \(error.code)\(error.statementIndex.map { " at \($0)" } ?? "")"
            case .settled(let id): "\(id) settled"
            case .close(let error): "close \(error.code)"
            }
        }
    }
}

@Suite struct ConnectionStateMachineTests {
    // MARK: Batches

    @Test func `a statement is prepared only at its first use`() {
        var it = Harness()
        #expect(it.batch(1, "a") == ["enter", "prepare 1.0 1_a", "execute 1.0 1_a", "sync"])
        // It is pipelined after the first batch, so it can use the same prepared statement.
        #expect(it.batch(2, "a") == ["execute 2.0 1_a", "sync"])
        #expect(it.answer("prepared") == [])
        #expect(it.answer("one") == [])
        #expect(it.sync() == ["1 = one", "1 settled"])
        #expect(it.answer("two") == [])
        #expect(it.expectsAnswer)
        #expect(it.sync() == ["2 = two", "2 settled"])
        #expect(!it.expectsAnswer)
    }

    @Test func `a batch returns the answers of its statements in order`() {
        var it = Harness()
        #expect(
            it.batch(1, "a", "b", "a") == [
                "enter", "prepare 1.0 1_a", "execute 1.0 1_a", "prepare 1.1 2_b", "execute 1.1 2_b",
                "execute 1.2 1_a", "sync",
            ])
        for word in ["prepared", "one", "prepared", "two", "three"] { #expect(it.answer(word) == []) }
        #expect(it.sync() == ["1 = one, two, three", "1 settled"])
    }

    @Test func `an error fails its own batch only, and reports the index of the statement`() {
        var it = Harness()
        _ = it.batch(1, "a", "b", "c")
        _ = it.batch(2, "a")
        for word in ["prepared", "one", "prepared"] { _ = it.answer(word) }
        #expect(it.failure(.checkViolation) == [])
        // The preparation and the execution of the third statement.
        #expect(it.skipped() + it.skipped() == [])
        #expect(it.sync() == ["1 ! server(23514) at 1", "1 settled"])
        #expect(it.answer("two") + it.sync() == ["2 = two", "2 settled"])
        // The statement that was not prepared is prepared at its next use, with another name.
        #expect(it.batch(3, "b", "c") == ["execute 3.0 2_b", "prepare 3.1 4_c", "execute 3.1 4_c", "sync"])
    }

    @Test func `the error of a single statement has no statement index`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        #expect(it.failure(.uniqueViolation) + it.sync() == ["1 ! server(23505)", "1 settled"])
    }

    @Test func `an error at the implicit commit fails the batch`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.failure(.uniqueViolation) + it.sync() == ["1 ! server(23505)", "1 settled"])
    }

    @Test func `a statement whose preparation failed is prepared again at its next use`() {
        var it = Harness()
        _ = it.batch(1, "a")
        #expect(it.failure(.undefinedTable) + it.skipped() + it.sync() == ["1 ! server(42P01)", "1 settled"])
        #expect(it.batch(2, "a") == ["prepare 2.0 2_a", "execute 2.0 2_a", "sync"])
    }

    @Test func `a cancelled query is reported as statementTimeout`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        #expect(it.failure(.queryCanceled) + it.sync() == ["1 ! statementTimeout", "1 settled"])
    }

    @Test func `at most pipelineDepth batches are in flight, and as many wait`() {
        var it = Harness(pipelineDepth: 2)
        _ = it.batch(1, "a")
        _ = it.batch(2, "a")
        #expect(it.batch(3, "a") == [])
        #expect(it.batch(4, "a") == [])
        #expect(it.batch(5, "a") == ["5 ! tooManyWaiters", "5 settled"])
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 = one", "1 settled", "execute 3.0 1_a", "sync"])
    }

    @Test func `a missing answer is a protocol violation`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        #expect(it.sync() == ["close protocolViolation"])
    }

    @Test func `two ends of command in a row are a protocol violation`() {
        var it = Harness()
        _ = it.batch(1, "a")
        #expect(it.receive(.endOfCommand) == [])
        #expect(it.receive(.endOfCommand) == ["close protocolViolation"])
    }

    // MARK: Stale preparations

    @Test(arguments: [(SQLState.invalidSQLStatementName, nil), (.featureNotSupported, "RevalidateCachedQuery")])
    func `a batch with a stale preparation is sent once more`(state: SQLState, routine: String?) {
        var it = prepared()
        _ = it.batch(2, "a")
        _ = it.batch(3, "a")
        #expect(it.failure(state, routine: routine) == [])
        #expect(it.sync() == ["prepare 2.0 2_a", "execute 2.0 2_a", "sync"])
        // The third batch was sent before the second failed. It is sent again, after the new preparation.
        #expect(it.failure(state, routine: routine) == [])
        #expect(it.sync() == ["execute 3.0 2_a", "sync"])
        _ = it.answer("prepared")
        _ = it.answer("two")
        #expect(it.sync() == ["2 = two", "2 settled"])
        #expect(it.answer("three") + it.sync() == ["3 = three", "3 settled"])
    }

    @Test func `a stale batch is not sent a third time, and not again in a transaction`() {
        var it = prepared()
        _ = it.batch(2, "a")
        _ = it.failure(.invalidSQLStatementName)
        _ = it.sync()
        _ = it.answer("prepared")
        _ = it.failure(.invalidSQLStatementName)
        #expect(it.sync() == ["2 ! server(26000)", "2 settled"])
        var other = prepared()
        _ = other.batch(2, "a")
        _ = other.failure(.invalidSQLStatementName)
        #expect(other.sync(inTransaction: true) == ["2 ! server(26000)", "2 settled"])
    }

    @Test func `featureNotSupported from another routine is not a stale preparation`() {
        var it = prepared()
        _ = it.batch(2, "a")
        _ = it.failure(.featureNotSupported, routine: "transformSelectStmt")
        #expect(it.sync() == ["2 ! server(0A000)", "2 settled"])
    }

    // MARK: Scripts

    @Test func `a script waits for the batches before it, and later batches wait for the script`() {
        var it = Harness()
        _ = it.batch(1, "a")
        #expect(it.script(2) == [])
        #expect(it.batch(3, "a") == [])
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 = one", "1 settled", "exit", "script 2"])
        #expect(it.receive(.answer("x")) + it.receive(.answer("y")) == [])
        #expect(it.receive(.endOfCommand) == ["2 = y", "2 settled", "enter", "execute 3.0 1_a", "sync"])
    }

    @Test func `a script fails with the server's error`() {
        var it = Harness()
        #expect(it.script(1) == ["script 1"])
        #expect(it.failure(.undefinedTable) == ["1 ! server(42P01)", "1 settled"])
    }

    @Test func `a script that contains COPY fails with invalidStatement`() {
        var it = Harness()
        _ = it.script(1)
        #expect(it.receive(.copyIn) == ["fail copy"])
        #expect(it.failure(.queryCanceled) == ["1 ! invalidStatement", "1 settled"])
    }

    @Test func `an abandoned script that contains COPY ends`() {
        var it = Harness()
        _ = it.script(1)
        #expect(it.abandon(1) == ["1 ! cancelled"])
        #expect(it.receive(.copyIn) == ["fail copy"])
        #expect(it.failure(.queryCanceled) == ["1 settled"])
    }

    @Test func `a batch that contains COPY closes the connection`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        #expect(it.receive(.copyIn) == ["close protocolViolation"])
    }

    // MARK: Abandoning

    @Test func `an abandoned batch finishes at once, and its answers are discarded`() {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.batch(2, "a")
        #expect(it.abandon(1) == ["1 ! cancelled"])
        #expect(it.abandon(1) == [])
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 settled"])
        #expect(it.answer("two") + it.sync() == ["2 = two", "2 settled"])
    }

    @Test func `an abandoned batch that was not sent yet is not sent`() {
        var it = Harness(pipelineDepth: 1)
        _ = it.batch(1, "a")
        #expect(it.batch(2, "a") == [])
        #expect(it.abandon(2, closes: true) == ["2 ! cancelled", "2 settled"])
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 = one", "1 settled"])
    }

    @Test func `a leased connection whose request was sent is closed, and the server is never asked to cancel`() {
        var it = Harness()
        _ = it.script(1)
        #expect(it.abandon(1, closes: true) == ["1 ! cancelled", "close connectionLost"])
        var other = Harness()
        _ = other.batch(1, "a")
        #expect(other.abandon(1, closes: true) == ["1 ! cancelled", "close connectionLost"])
    }

    // MARK: Limits of callers

    @Test func `a server that sends nothing within the caller's limit is given up`() {
        var it = Harness()
        _ = it.batch(1, "a", limit: 2)
        #expect(it.deadlineSeconds == 2)
        it.pass(seconds: 1.9)
        #expect(it.tick() == [])
        it.pass(seconds: 0.1)
        #expect(it.tick() == ["close connectionLost"])
    }

    @Test func `a caller behind a long request gets an error in time, and both requests go on`() {
        var it = Harness()
        _ = it.batch(1, "a", silence: 15)
        it.pass(seconds: 1)
        _ = it.batch(2, "a", limit: 2)
        #expect(it.deadlineSeconds == 3)
        it.pass(seconds: 2)
        #expect(it.tick() == ["2 ! connectionLost"])
        #expect(it.tick() == [])
        #expect(it.deadlineSeconds == 15)
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 = one", "1 settled"])
        #expect(it.answer("two") + it.sync() == ["2 settled"])
    }

    @Test func `a request that was not sent in time is not sent`() {
        var it = Harness(pipelineDepth: 1)
        _ = it.batch(1, "a", silence: 15)
        _ = it.batch(2, "a", limit: 2)
        it.pass(seconds: 2)
        #expect(it.tick() == ["2 ! acquireTimeout", "2 settled"])
        _ = it.answer("prepared")
        _ = it.answer("one")
        #expect(it.sync() == ["1 = one", "1 settled"])
    }

    // MARK: Closing

    @Test func `closing the connection fails each request once`() {
        var it = Harness(pipelineDepth: 2)
        _ = it.batch(1, "a")
        _ = it.batch(2, "a")
        _ = it.batch(3, "a")
        _ = it.abandon(1)
        #expect(
            it.close() == [
                "1 settled", "2 ! connectionLost", "2 settled", "3 ! connectionLost", "3 settled",
            ])
        #expect(it.close() == [])
        #expect(!it.expectsAnswer)
        #expect(it.batch(4, "a") == ["4 ! connectionLost", "4 settled"])
    }

    @Test func `an error that ends the session closes the connection`() {
        var it = Harness()
        _ = it.batch(1, "a")
        let report = ServerReport(sqlState: .adminShutdown, endsSession: true)
        #expect(it.receive(.failure(report)) == ["close connectionLost"])
        #expect(it.close() == ["1 ! connectionLost", "1 settled"])
    }

    // MARK: Silence

    @Test func `the silence limit counts from the last event of the server`() {
        var it = Harness()
        #expect(it.deadlineSeconds == nil)
        it.pass(seconds: 100)
        _ = it.batch(1, "a", silence: 10)
        it.pass(seconds: 1)
        _ = it.batch(2, "a", silence: 20)
        #expect(it.deadlineSeconds == 110)
        it.pass(seconds: 4)
        _ = it.answer("prepared")
        #expect(it.deadlineSeconds == 115)
        _ = it.answer("one")
        _ = it.sync()
        #expect(it.deadlineSeconds == 125)
        _ = it.answer("two")
        _ = it.sync()
        #expect(it.deadlineSeconds == nil)
    }

    @Test func `a script has a silence limit only if it was given one`() {
        var it = Harness()
        _ = it.script(1, silence: 10)
        #expect(it.deadlineSeconds == 10)
        _ = it.answer("x")
        _ = it.script(2)
        #expect(it.deadlineSeconds == nil)
    }

    private func prepared() -> Harness {
        var it = Harness()
        _ = it.batch(1, "a")
        _ = it.answer("prepared")
        _ = it.answer("one")
        _ = it.sync()
        return it
    }
}
