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
        _ = try await statements.batch(
            PostgresQuery(
                """
                INSERT INTO approval (\(sql: ApprovalRecord.columns), approved_at)
                VALUES (\(approval.id, approval.statement, approval.firstOperator, approval.firstSignature),
                    \(approval.secondOperator, approval.secondSignature, now))
                ON CONFLICT (id) DO NOTHING
                """),
            PostgresQuery(
                """
                INSERT INTO approved_object (object_digest, approval_id)
                SELECT DISTINCT digest, \(approval.id) FROM unnest(\(approval.objectDigests)) AS digest
                ON CONFLICT (object_digest) DO UPDATE SET approval_id = excluded.approval_id
                """))
    }

    /// Removes the approvals of objects.
    package func deleteApprovals(ofObjects digests: [[UInt8]]) async throws(StoreError) {
        try await statements.execute("DELETE FROM approved_object WHERE object_digest = ANY (\(digests))")
    }

    /// Whether operators have ever approved anything.
    package func hasApprovals() async throws(StoreError) -> Bool {
        try await statements.row("SELECT EXISTS (SELECT FROM approval)")
    }

    /// Removes the approvals of all other objects.
    package func deleteApprovals(exceptOfObjects digests: [[UInt8]]) async throws(StoreError) {
        try await statements.execute(
            """
            DELETE FROM approved_object
            WHERE object_digest NOT IN (SELECT digest FROM unnest(\(digests)) AS digest WHERE digest IS NOT NULL)
            """)
    }

    /// Which approvals the database has for these objects.
    package func approvalIds(
        ofObjects digests: [[UInt8]]
    ) async throws(StoreError) -> [(objectDigest: [UInt8], approvalId: String)] {
        try await statements.rows(
            "SELECT object_digest, approval_id FROM approved_object WHERE object_digest = ANY (\(digests))"
        ).map { ($0, $1) }
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
