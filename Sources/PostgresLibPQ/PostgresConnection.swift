/// A connection that is lent to one caller, until the body that it was given to returns.
public final class PostgresConnection: Sendable {
    let wire: WireConnection
    let pool: Pool
    @PostgresLoop private var hasEnded = false

    init(_ wire: WireConnection, _ pool: Pool) {
        self.wire = wire
        self.pool = pool
    }

    /// Runs one statement, and returns its rows.
    public func execute<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(PostgresError) -> [Statement.Row] {
        let answers = try await run(.batch([BoundStatement(statement)]))
        return try answers[0].rows(of: Statement.self)
    }

    /// Runs statements of the same type in one round trip; see ``PostgresClient``.
    public func batch<Statement: PostgresStatement>(
        _ statements: [Statement]
    ) async throws(PostgresError) -> [[Statement.Row]] {
        guard !statements.isEmpty else { return [] }
        return try await run(.batch(BoundStatement.all(statements))).rows(of: Statement.self)
    }

    /// Runs statements of different types in one round trip; see ``PostgresClient``.
    public func batch<each Statement: PostgresStatement>(
        _ statements: repeat each Statement
    ) async throws(PostgresError) -> (repeat [(each Statement).Row]) {
        let answers = try await run(.batch(BoundStatement.all(repeat each statements)))
        var index = -1
        return (repeat try answers.next(&index).rows(of: (each Statement).self))
    }

    /// Runs several statements, such as a migration, that stand in one text without parameters; rows are thrown away.
    /// Unless the text begins a transaction, it is one.
    public func executeScript(_ sql: String) async throws(PostgresError) {
        _ = try await run(.script(sql))
    }

    @PostgresLoop
    func run(_ request: WireConnection.Request) async throws(PostgresError) -> [PostgresResult] {
        try check()
        return try await pool.run(request, on: wire)
    }

    @PostgresLoop
    func check() throws(PostgresError) {
        if hasEnded { throw PostgresError(.leaseEnded) }
    }
}

// MARK: - The lease

extension PostgresConnection {
    @PostgresLoop
    func setStatementTimeout(milliseconds: Int) async throws(PostgresError) {
        _ = try await run(.script("SET statement_timeout = \(milliseconds)"))
        wire.statementTimeout = milliseconds > 0 ? .milliseconds(milliseconds) : nil
    }

    /// Gives the connection back. If the session cannot be made as good as new, the connection is closed.
    @PostgresLoop
    func end(resetting: Bool) async {
        hasEnded = true
        wire.onNotification?(nil)
        wire.onNotification = nil
        wire.statementTimeout = pool.configuration.statementTimeout
        if resetting || wire.isInTransaction { await reset() }
        pool.returnLease(wire)
    }

    @PostgresLoop
    private func reset() async {
        let sql = (wire.isInTransaction ? "ROLLBACK; " : "") + Self.resetScript
        do {
            let silence = pool.configuration.maximumSilence
            _ = try await pool.run(.script(sql, maximumSilence: silence), on: wire, isCancellable: false)
        } catch {
            pool.discard(wire)
        }
    }

    // What DISCARD ALL does, but that it leaves prepared statements, and stands beside others in one text.
    private static let resetScript = """
        CLOSE ALL; RESET SESSION AUTHORIZATION; RESET ALL; UNLISTEN *; \
        SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES
        """
}

// MARK: - Transactions

extension PostgresConnection {
    @PostgresLoop
    func begin(_ isolation: PostgresIsolation) async throws(PostgresError) {
        _ = try await run(.batch([.command("BEGIN ISOLATION LEVEL \(isolation.rawValue)")]))
    }

    /// Not cancellable: whether it took effect must be known.
    @PostgresLoop
    func commit() async throws(PostgresError) {
        let answers = try await pool.run(.batch([.command("COMMIT")]), on: wire, isCancellable: false)
        // A transaction in which a statement failed answers COMMIT with ROLLBACK, and no error.
        guard answers[0].commandTag == "COMMIT" else { throw PostgresError(.transactionAborted) }
    }

    @PostgresLoop
    func rollBack() async {
        guard wire.isInTransaction else { return }
        _ = try? await pool.run(.batch([.command("ROLLBACK")]), on: wire, isCancellable: false)
    }
}

extension BoundStatement {
    fileprivate static func command(_ sql: String) -> BoundStatement {
        BoundStatement(sql: sql, label: sql)
    }
}
