/// A connection that is leased to one caller. The lease ends when the body that received the connection returns.
package final class PostgresConnection: Sendable {
    private let wire: WireConnection
    private let pool: Pool
    @PostgresLoop private var hasEnded = false

    init(_ wire: WireConnection, _ pool: Pool) {
        self.wire = wire
        self.pool = pool
    }

    /// Runs one statement and returns its answer: the rows, or the number of changed rows.
    ///
    /// - Parameter function: the calling function. The prepared statement is named after it.
    package func execute<Statement: PostgresExecutable>(
        _ statement: Statement, function: String = #function
    ) async throws(PostgresError) -> Statement.Answer {
        let answers = try await run(.batch([BoundStatement(statement, label: function)]))
        return try statement.read(answers[0])
    }

    /// Runs a text of several statements without parameters, such as a migration. Discards any rows. The text runs in one
    /// transaction, unless it starts or ends transactions itself.
    package func executeScript(_ sql: String) async throws(PostgresError) {
        _ = try await run(.script(sql))
    }

    @PostgresLoop
    private func run(_ request: WireConnection.Request) async throws(PostgresError) -> [PostgresResult] {
        if hasEnded { throw PostgresError(.leaseEnded) }
        return try await pool.run(request, on: wire)
    }
}

// MARK: - The lease

extension PostgresConnection {
    @PostgresLoop
    func setStatementTimeout(milliseconds: Int) async throws(PostgresError) {
        _ = try await run(.script("SET statement_timeout = \(milliseconds)"))
        wire.statementTimeout = milliseconds > 0 ? .milliseconds(milliseconds) : nil
    }

    /// Ends the lease and returns the connection to the pool. If the session cannot be reset, the connection is closed.
    @PostgresLoop
    func end() async {
        hasEnded = true
        wire.statementTimeout = pool.configuration.statementTimeout
        await reset()
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

    // Does what DISCARD ALL does, except that it keeps prepared statements. Unlike DISCARD ALL, it can be part of a text
    // of several statements.
    private static let resetScript = """
        CLOSE ALL; RESET SESSION AUTHORIZATION; RESET ALL; UNLISTEN *; \
        SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES
        """
}
