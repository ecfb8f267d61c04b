public import Logging
public import ServiceLifecycle

/// A PostgreSQL client: a pool of connections that many tasks share.
///
/// Statements of different tasks are pipelined on the same connections, each in a transaction of its own, so that one's
/// error does not reach another's. Its work begins with ``run()``; what is asked before waits for it.
public final class PostgresClient: Service, Sendable {
    let pool: Pool

    /// A client that has yet to be run.
    public init(configuration: PostgresConfiguration, logger: Logger) {
        pool = Pool(configuration, logger)
    }

    /// Keeps the connections until the task is cancelled or the service group shuts down gracefully; then ends what is
    /// under way, within the shutdown timeout.
    ///
    /// - Throws: ``PostgresError/Code/invalidConfiguration``. A database out of reach is no reason to end: it is tried
    ///   again and again.
    public func run() async throws {
        try await pool.start()
        try? await gracefulShutdown()
        await pool.shutDown()
    }

    /// Runs one statement, and returns its rows.
    public func execute<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(PostgresError) -> [Statement.Row] {
        let answers = try await pool.run([BoundStatement(statement)])
        return try answers[0].rows(of: Statement.self)
    }

    /// Runs statements of the same type in one round trip and one transaction: all take effect or none.
    ///
    /// - Throws: the error of the statement that failed, with its place in ``PostgresError/statementIndex``.
    public func batch<Statement: PostgresStatement>(
        _ statements: [Statement]
    ) async throws(PostgresError) -> [[Statement.Row]] {
        guard !statements.isEmpty else { return [] }
        let answers = try await pool.run(BoundStatement.all(statements))
        return try answers.rows(of: Statement.self)
    }

    /// Runs statements of different types in one round trip and one transaction: all take effect or none.
    ///
    /// - Throws: the error of the statement that failed, with its place in ``PostgresError/statementIndex``.
    public func batch<each Statement: PostgresStatement>(
        _ statements: repeat each Statement
    ) async throws(PostgresError) -> (repeat [(each Statement).Row]) {
        let answers = try await pool.run(BoundStatement.all(repeat each statements))
        var index = -1
        return (repeat try answers.next(&index).rows(of: (each Statement).self))
    }

    /// Lends a connection for work that needs a session of its own: advisory locks, LISTEN, several transactions. What
    /// the body leaves behind (an open transaction, locks, settings, temporary tables) is undone after it.
    ///
    /// - Parameter statementTimeoutMilliseconds: the statement timeout in this session; 0 is for ever, nil is the
    ///   configured one. Set it here rather than in SQL: the client, too, gives up on a server that is silent for longer.
    public nonisolated(nonsending) func withConnection<Result>(
        statementTimeoutMilliseconds: Int? = nil,
        _ body: nonisolated(nonsending) (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = PostgresConnection(try await pool.lease(), pool)
        do {
            if let statementTimeoutMilliseconds {
                try await connection.setStatementTimeout(milliseconds: statementTimeoutMilliseconds)
            }
            let result = try await body(connection)
            await connection.end(resetting: true)
            return result
        } catch {
            await connection.end(resetting: true)
            throw error
        }
    }

    /// Runs the body in a transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// - Throws: what the body throws; ``PostgresError/Code/transactionAborted`` if the body returned although one of
    ///   its statements had failed.
    public nonisolated(nonsending) func withTransaction<Result>(
        isolation: PostgresIsolation = .readCommitted,
        _ body: nonisolated(nonsending) (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = PostgresConnection(try await pool.lease(), pool)
        do {
            try await connection.begin(isolation)
            let result = try await body(connection)
            try await connection.commit()
            await connection.end(resetting: false)
            return result
        } catch {
            await connection.rollBack()
            await connection.end(resetting: false)
            throw error
        }
    }
}

/// How much a transaction may see of others (PostgreSQL documentation, section 13.2).
public enum PostgresIsolation: String, Sendable {
    /// Each statement sees what had been committed before it began.
    case readCommitted = "READ COMMITTED"
    /// All statements see what had been committed before the first began.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after the other; be ready to try again.
    case serializable = "SERIALIZABLE"
}

extension BoundStatement {
    static func all<each Statement: PostgresStatement>(
        _ statements: repeat each Statement
    ) throws(PostgresError) -> [BoundStatement] {
        var bound: [BoundStatement] = []
        for statement in repeat each statements { bound.append(try BoundStatement(statement)) }
        return bound
    }

    static func all<Statement: PostgresStatement>(
        _ statements: [Statement]
    ) throws(PostgresError) -> [BoundStatement] {
        try statements.map { (statement) throws(PostgresError) in try BoundStatement(statement) }
    }
}

extension PostgresResult {
    func rows<Statement: PostgresStatement>(
        of type: Statement.Type
    ) throws(PostgresError) -> [Statement.Row] {
        var rows: [Statement.Row] = []
        rows.reserveCapacity(rowCount)
        for index in 0..<rowCount { rows.append(try Statement.decode(PostgresRow(self, index))) }
        return rows
    }
}

extension [PostgresResult] {
    func next(_ index: inout Int) -> PostgresResult {
        index += 1
        return self[index]
    }

    func rows<Statement: PostgresStatement>(
        of type: Statement.Type
    ) throws(PostgresError) -> [[Statement.Row]] {
        try map { (answer) throws(PostgresError) in try answer.rows(of: Statement.self) }
    }
}
