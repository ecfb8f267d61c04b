internal import CardCompanionModel
internal import PostgresLibPQ

/// Runs statements, and turns PostgreSQL's errors into the store's.
struct StatementRunner: Sendable {
    let client: PostgresClient

    /// Runs one statement in a transaction of its own. A write of an operator's command gets its entry of the audit trail in
    /// the same transaction.
    func execute<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(StoreError) -> Statement.Answer {
        do {
            if let audit = AuditNote.ofCommand, Statement.self is any PostgresCommand.Type {
                let entry = AppendCommandAudit(audit: audit, write: "\(Statement.self)")
                return try await client.batch(statement, followedBy: entry)
            }
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

    /// The name of the first statement that writes; nil if all only read.
    private static func firstWrite<each Statement: PostgresStatement>(_ types: repeat (each Statement).Type) -> String?
    {
        for type in repeat each types {
            if type is any PostgresCommand.Type { return "\(type)" }
        }
        return nil
    }

    /// Runs statements in one round trip and one transaction: all take effect or none.
    func batch<each Statement: PostgresStatement>(
        _ statements: repeat each Statement
    ) async throws(StoreError) -> (repeat (each Statement).Answer) {
        do {
            if let audit = AuditNote.ofCommand, let write = Self.firstWrite(repeat (each Statement).self) {
                let entry = AppendCommandAudit(audit: audit, write: write)
                return try await client.batch(repeat each statements, followedBy: entry)
            }
            return try await client.batch(repeat each statements)
        } catch {
            throw StoreError(error)
        }
    }
}
