package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Keeps a change until another operator signs it.
    package func insertProposedChange(_ change: ProposedChange) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO proposed_change (\(sql: ProposedChange.columns))
            VALUES (\(change.id, change.action, change.change, change.statement, change.operatorName),
                \(change.signature, change.expiresAt))
            """)
    }

    /// Changes that wait for another operator, the oldest first.
    package func proposedChanges(now: Timestamp) async throws(StoreError) -> [ProposedChange] {
        try await statements.rows(
            """
            SELECT \(sql: ProposedChange.columns) FROM proposed_change WHERE expires_at >= \(now)
            ORDER BY expires_at, id
            """)
    }

    /// - Returns: false if there is no such change.
    package func deleteProposedChange(id: String) async throws(StoreError) -> Bool {
        try await statements.execute("DELETE FROM proposed_change WHERE id = \(id)") == 1
    }

    /// Adds an approval. If its change was interrupted, it is there already.
    package func insertApproval(_ approval: NewApproval, now: Timestamp) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO approval (\(sql: ApprovalRecord.columns), approved_at)
            VALUES (\(approval.id, approval.statement, approval.firstOperator, approval.firstSignature),
                \(approval.secondOperator, approval.secondSignature, now))
            ON CONFLICT (id) DO NOTHING
            """)
    }

    /// Whether operators have ever approved anything.
    package func hasApprovals() async throws(StoreError) -> Bool {
        try await statements.row("SELECT EXISTS (SELECT FROM approval)")
    }

    package func approvals(ids: [String]) async throws(StoreError) -> [ApprovalRecord] {
        guard !ids.isEmpty else { return [] }
        return try await statements.rows("SELECT \(sql: ApprovalRecord.columns) FROM approval WHERE id = ANY (\(ids))")
    }
}

extension ProposedChange: PostgresRowDecodable {
    static let columns: SQLText = "id, action, change, statement, operator_name, signature, expires_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(), action: try row.next(), change: try row.next(), statement: try row.next(),
            operatorName: try row.next(), signature: try row.next(), expiresAt: try row.next())
    }
}

extension ApprovalRecord: PostgresRowDecodable {
    static let columns: SQLText = "id, statement, first_operator, first_signature, second_operator, second_signature"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(), statement: try row.next(), firstOperator: try row.next(),
            firstSignature: try row.next(), secondOperator: try row.next(), secondSignature: try row.next())
    }
}
