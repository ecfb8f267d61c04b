internal import PostgresLibPQ

/// Runs statements, and turns PostgreSQL's errors into the store's.
struct StatementRunner: Sendable {
    let client: PostgresClient

    /// Runs one statement in a transaction of its own.
    func execute<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(StoreError) -> Statement.Answer {
        do {
            return try await client.execute(statement)
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs one statement that always returns one row.
    func executeForOneRow<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(StoreError) -> Statement.Row where Statement.Answer == [Statement.Row] {
        do {
            return try await client.executeForOneRow(statement)
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs statements in one round trip and one transaction: all take effect or none.
    func batch<each Statement: PostgresStatement>(
        _ statements: repeat each Statement
    ) async throws(StoreError) -> (repeat (each Statement).Answer) {
        do {
            return try await client.batch(repeat each statements)
        } catch {
            throw StoreError(error)
        }
    }
}
