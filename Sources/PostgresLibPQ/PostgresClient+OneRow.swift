extension PostgresClient {
    /// Runs a statement that returns one row, whatever happens.
    ///
    /// - Throws: as ``execute(_:)``; `.decoding` where there is another number of rows.
    public func executeForOneRow<Statement: PostgresStatement>(
        _ statement: Statement
    ) async throws(PostgresError) -> Statement.Row {
        let rows = try await execute(statement)
        guard let row = rows.first, rows.count == 1 else {
            throw PostgresError(.decoding, "\(Statement.self) returned \(rows.count) rows, not one")
        }
        return row
    }
}
