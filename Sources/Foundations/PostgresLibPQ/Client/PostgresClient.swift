package import Logging
internal import ServiceLifecycle

/// A PostgreSQL client: a pool of connections that many tasks share.
///
/// Statements of different tasks are pipelined on the same connections. Each statement or batch runs in its own
/// transaction, so an error does not affect the others. The client works while ``run()`` runs; earlier statements wait
/// until it starts.
package final class PostgresClient: Service, Sendable {
    let pool: Pool

    /// Creates a client. It opens no connections until ``run()`` is called.
    package init(configuration: PostgresConfiguration, logger: Logger) {
        pool = Pool(configuration, logger)
    }

    /// Keeps the connections open until the task is cancelled or the service group shuts down gracefully. Requests in
    /// flight may then finish within the shutdown timeout.
    ///
    /// - Throws: ``PostgresError/Code/invalidConfiguration``; ``PostgresError/Code/shutDown`` if it was called before. An
    ///   unreachable database is not an error here: the client keeps trying to connect.
    package func run() async throws {
        try await pool.start()
        try? await gracefulShutdown()
        await pool.shutDown()
    }

    /// Runs one statement and returns its answer: the rows, or the number of changed rows.
    ///
    /// - Parameter function: the calling function. The prepared statement is named after it.
    package func execute<Statement: PostgresExecutable>(
        _ statement: Statement, function: String = #function
    ) async throws(PostgresError) -> Statement.Answer {
        let answers = try await pool.run([BoundStatement(statement, label: function)])
        return try statement.read(answers[0])
    }

    /// Runs statements in one round trip and one transaction: all take effect or none.
    ///
    /// - Throws: the error of the statement that failed, with its index in ``PostgresError/statementIndex``.
    package func batch<each Statement: PostgresExecutable>(
        _ statements: repeat each Statement, function: String = #function
    ) async throws(PostgresError) -> (repeat (each Statement).Answer) {
        let answers = try await pool.run(BoundStatement.all(repeat each statements, label: function))
        var index = -1
        return (repeat try (each statements).read(answers.next(&index)))
    }

    /// Runs statements, and more whose answers are not needed, as ``batch(_:)``.
    package func batch<each Statement: PostgresExecutable>(
        _ statements: repeat each Statement, followedBy last: [any PostgresExecutable], function: String = #function
    ) async throws(PostgresError) -> (repeat (each Statement).Answer) {
        var bound = try BoundStatement.all(repeat each statements, label: function)
        for statement in last { bound.append(try BoundStatement(statement, label: function)) }
        let answers = try await pool.run(bound)
        var index = -1
        return (repeat try (each statements).read(answers.next(&index)))
    }

    /// Leases a connection for work that needs its own session: advisory locks, several transactions. Afterwards
    /// the session is reset: open transactions, locks, settings and temporary tables are removed.
    ///
    /// - Parameter statementTimeoutMilliseconds: the statement timeout in this session; 0 means no limit, nil means the
    ///   configured timeout. Set it here and not in SQL, because the client uses it to detect a server that does not
    ///   answer.
    package nonisolated(nonsending) func withConnection<Result>(
        statementTimeoutMilliseconds: Int? = nil,
        _ body: nonisolated(nonsending) (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = PostgresConnection(try await pool.lease(), pool)
        do {
            if let statementTimeoutMilliseconds {
                try await connection.setStatementTimeout(milliseconds: statementTimeoutMilliseconds)
            }
            let result = try await body(connection)
            await connection.end()
            return result
        } catch {
            await connection.end()
            throw error
        }
    }
}

extension BoundStatement {
    static func all<each Statement: PostgresExecutable>(
        _ statements: repeat each Statement, label: String
    ) throws(PostgresError) -> [BoundStatement] {
        var bound: [BoundStatement] = []
        for statement in repeat each statements { bound.append(try BoundStatement(statement, label: label)) }
        return bound
    }
}

extension [PostgresResult] {
    func next(_ index: inout Int) -> PostgresResult {
        index += 1
        return self[index]
    }
}
