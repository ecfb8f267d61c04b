internal import CardCompanionModel
internal import PostgresLibPQ

/// Runs statements, and turns PostgreSQL's errors into the store's.
///
/// A change by an operator's command gets its entry of the audit trail in the same transaction, if it changes anything. The
/// entry's outcome is the change's word (``AuditWords``). The first change of a command takes the inventory's next version along
/// (``PendingInventory``).
struct StatementRunner: Sendable {
    let client: PostgresClient

    /// Runs one statement in a transaction of its own.
    func execute<Statement: PostgresExecutable>(
        _ statement: Statement, function: String = #function
    ) async throws(StoreError) -> Statement.Answer {
        try await batch(statement, function: function)
    }

    /// Runs one query that changes rows, in a transaction of its own.
    ///
    /// - Returns: how many rows.
    @discardableResult
    func execute(_ query: PostgresQuery, function: String = #function) async throws(StoreError) -> Int {
        try await batch(query, function: function)
    }

    /// Runs one query, and reads each row into values and records of these types.
    func rows<each Part: PostgresRowDecodable & Sendable>(
        _ query: PostgresQuery, function: String = #function
    ) async throws(StoreError) -> [(repeat each Part)] {
        try await batch(PostgresRows<repeat each Part>(query), function: function)
    }

    /// The first row of a query; nil if it returns none.
    func firstRow<each Part: PostgresRowDecodable & Sendable>(
        _ query: PostgresQuery, function: String = #function
    ) async throws(StoreError) -> (repeat each Part)? {
        try await batch(PostgresRows<repeat each Part>(query), function: function).first
    }

    /// The row of a query that always returns one.
    func row<each Part: PostgresRowDecodable & Sendable>(
        _ query: PostgresQuery, function: String = #function
    ) async throws(StoreError) -> (repeat each Part) {
        try await executeForOneRow(PostgresRows<repeat each Part>(query), function: function)
    }

    /// Runs one statement that always returns one row.
    func executeForOneRow<Statement: PostgresExecutable, Row>(
        _ statement: Statement, function: String = #function
    ) async throws(StoreError) -> Row where Statement.Answer == [Row] {
        do {
            return try await client.executeForOneRow(statement, function: function)
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs statements in one round trip and one transaction: all take effect or none.
    func batch<each Statement: PostgresExecutable>(
        _ statements: repeat each Statement, function: String = #function
    ) async throws(StoreError) -> (repeat (each Statement).Answer) {
        do {
            guard Self.changesRows(repeat (each Statement).self) else {
                return try await client.batch(repeat each statements, function: function)
            }
            return try await client.batch(
                repeat each statements, followedBy: Self.companions(of: function), function: function)
        } catch {
            throw StoreError(error)
        }
    }

    /// What a change takes along in its transaction.
    private static func companions(of function: String) -> [any PostgresExecutable] {
        var companions: [any PostgresExecutable] = []
        if let inventory = PendingInventory.current?.take() { companions.append(inventory.insertion) }
        if let audit = AuditNote.ofCommand {
            companions.append(AppendCommandAudit(audit: audit, word: AuditWords.word(for: function)))
        }
        return companions
    }

    private static func changesRows<each Statement: PostgresExecutable>(
        _ types: repeat (each Statement).Type
    ) -> Bool {
        for type in repeat each types {
            if type is any PostgresChange.Type { return true }
        }
        return false
    }
}
