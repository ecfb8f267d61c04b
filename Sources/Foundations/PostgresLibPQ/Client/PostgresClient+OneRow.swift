extension PostgresClient {
    /// Runs a statement that always returns exactly one row.
    ///
    /// - Throws: as ``execute(_:)``; ``PostgresError/Code/decoding`` if the number of rows is not one.
    package func executeForOneRow<Statement: PostgresExecutable, Row>(
        _ statement: Statement, function: String = #function
    ) async throws(PostgresError) -> Row where Statement.Answer == [Row] {
        let rows = try await execute(statement, function: function)
        guard let row = rows.first, rows.count == 1 else {
            throw PostgresError(.decoding, "\(function) got \(rows.count) rows, not one")
        }
        return row
    }
}
