extension PostgresClient {
    /// Runs a statement that always returns exactly one row.
    ///
    /// - Throws: as ``execute(_:)``; ``PostgresError/Code/decoding`` if the number of rows is not one.
    package func executeForOneRow<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(PostgresError) -> Statement.Row where Statement.Answer == [Statement.Row] {
        let rows = try await execute(statement)
        guard let row = rows.first, rows.count == 1 else {
            throw PostgresError(.decoding, "\(Statement.self) returned \(rows.count) rows, not one")
        }
        return row
    }
}
