package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Keeps a change until another operator signs it.
    package func insertProposedChange(_ change: ProposedChange) async throws(StoreError) {
        _ = try await statements.execute(InsertProposedChange(change: change))
    }

    /// Changes that wait for another operator, the oldest first.
    package func proposedChanges(now: Timestamp) async throws(StoreError) -> [ProposedChange] {
        try await statements.execute(SelectProposedChanges(now: now))
    }

    /// - Returns: false if there is no such change.
    package func deleteProposedChange(id: String) async throws(StoreError) -> Bool {
        try await statements.execute(DeleteProposedChange(id: id)) == 1
    }

    /// Adds an approval. If its change was interrupted, it is there already.
    package func insertApproval(_ approval: NewApproval, now: Timestamp) async throws(StoreError) {
        _ = try await statements.batch(
            InsertApproval(approval: approval, now: now), UpsertApprovedObjects(approval: approval))
    }

    /// Removes the approvals of objects.
    package func deleteApprovals(ofObjects digests: [[UInt8]]) async throws(StoreError) {
        _ = try await statements.execute(DeleteApprovedObjects(digests: digests))
    }

    /// Whether operators have ever approved anything.
    package func hasApprovals() async throws(StoreError) -> Bool {
        try await statements.executeForOneRow(SelectHasApprovals())
    }

    /// Removes the approvals of all other objects.
    package func deleteApprovals(exceptOfObjects digests: [[UInt8]]) async throws(StoreError) {
        _ = try await statements.execute(DeleteOtherApprovedObjects(digests: digests))
    }

    /// Which approvals the database has for these objects.
    package func approvalIds(
        ofObjects digests: [[UInt8]]
    ) async throws(StoreError) -> [(objectDigest: [UInt8], approvalId: String)] {
        try await statements.execute(SelectApprovalIds(digests: digests))
    }

    package func approvals(ids: [String]) async throws(StoreError) -> [ApprovalRecord] {
        ids.isEmpty ? [] : try await statements.execute(SelectApprovals(ids: ids))
    }
}

private struct InsertProposedChange: PostgresCommand {
    let change: ProposedChange

    static let sql = """
        INSERT INTO proposed_change (id, action, change, statement, operator_name, signature, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            change.id, change.action, change.change, change.statement, change.operatorName, change.signature,
            change.expiresAt)
    }
}

private struct SelectProposedChanges: PostgresStatement {
    let now: Timestamp

    static let sql = """
        SELECT id, action, change, statement, operator_name, signature, expires_at FROM proposed_change
        WHERE expires_at >= $1 ORDER BY expires_at, id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ProposedChange {
        ProposedChange(
            id: try row.decode(0), action: try row.decode(1), change: try row.decode(2), statement: try row.decode(3),
            operatorName: try row.decode(4), signature: try row.decode(5), expiresAt: try row.decode(6))
    }
}

private struct DeleteProposedChange: PostgresCommand {
    let id: String

    static let sql = "DELETE FROM proposed_change WHERE id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}

private struct InsertApproval: PostgresCommand {
    let approval: NewApproval
    let now: Timestamp

    static let sql = """
        INSERT INTO approval
            (id, statement, first_operator, first_signature, second_operator, second_signature, approved_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (id) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            approval.id, approval.statement, approval.firstOperator, approval.firstSignature, approval.secondOperator,
            approval.secondSignature, now)
    }
}

private struct UpsertApprovedObjects: PostgresCommand {
    let approval: NewApproval

    static let sql = """
        INSERT INTO approved_object (object_digest, approval_id) SELECT DISTINCT digest, $1 FROM unnest($2::bytea[]) AS digest
        ON CONFLICT (object_digest) DO UPDATE SET approval_id = excluded.approval_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(approval.id, approval.objectDigests)
    }
}

private struct DeleteApprovedObjects: PostgresCommand {
    let digests: [[UInt8]]

    static let sql = "DELETE FROM approved_object WHERE object_digest = ANY ($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(digests)
    }
}

private struct DeleteOtherApprovedObjects: PostgresCommand {
    let digests: [[UInt8]]

    static let sql = """
        DELETE FROM approved_object
        WHERE object_digest NOT IN (SELECT digest FROM unnest($1::bytea[]) AS digest WHERE digest IS NOT NULL)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(digests)
    }
}

private struct SelectHasApprovals: PostgresStatement {
    typealias Row = Bool

    static let sql = "SELECT EXISTS (SELECT FROM approval)"
}

private struct SelectApprovalIds: PostgresStatement {
    let digests: [[UInt8]]

    static let sql = "SELECT object_digest, approval_id FROM approved_object WHERE object_digest = ANY ($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(digests)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (objectDigest: [UInt8], approvalId: String) {
        (try row.decode(0), try row.decode(1))
    }
}

private struct SelectApprovals: PostgresStatement {
    let ids: [String]

    static let sql = """
        SELECT id, statement, first_operator, first_signature, second_operator, second_signature
        FROM approval WHERE id = ANY ($1)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(ids)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ApprovalRecord {
        ApprovalRecord(
            id: try row.decode(0), statement: try row.decode(1), firstOperator: try row.decode(2),
            firstSignature: try row.decode(3), secondOperator: try row.decode(4), secondSignature: try row.decode(5))
    }
}
