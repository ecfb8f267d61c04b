package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds an entry that goes with no other write.
    package func appendAudit(
        operation: String, outcome: String, bankId: String?, _ note: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            AppendAudit(operation: operation, outcome: outcome, bankId: bankId, note: note, now: now))
    }

    /// The next entries in the order of their chains.
    ///
    /// - Parameters:
    ///   - chainId: the chain to go on with.
    ///   - sequence: the last entry that was read from it; 0 for none.
    package func auditEntries(
        afterChain chainId: Int32, sequence: Int64, limit: Int
    ) async throws(StoreError) -> [AuditEntryRecord] {
        try await statements.execute(
            SelectAuditEntries(chainId: chainId, sequence: sequence, limit: Int32(clamping: limit)))
    }

    /// The newest entries that pass a filter, the newest first.
    package func auditEntries(_ filter: AuditFilter, limit: Int) async throws(StoreError) -> [AuditEntryRecord] {
        try await statements.execute(SelectFilteredAuditEntries(filter: filter, limit: Int32(clamping: limit)))
    }

    /// The ends of chains that have grown since the newest seal.
    ///
    /// - Parameter time: only chains with an entry since then; nil for all chains, which takes long if there are many.
    package func grownAuditHeads(since time: Timestamp?) async throws(StoreError) -> [AuditHead] {
        guard let time else { return try await statements.execute(SelectGrownAuditHeads()) }
        return try await statements.execute(SelectRecentAuditHeads(time: time))
    }

    /// The ends of all chains.
    package func auditChains() async throws(StoreError) -> [AuditHead] {
        try await statements.execute(SelectAuditHeads())
    }
}

/// Adds an entry together with the statement that it records.
struct AppendAudit: PostgresStatement {
    let operation: String
    let outcome: String
    let bankId: String?
    let note: AuditNote
    let now: Timestamp

    typealias Row = Void

    static let sql = """
        SELECT append_audit(
            p_now => $1, p_operation => $2, p_outcome => $3, p_bank_id => $4, p_subject => $5, p_actor => $6,
            p_detail => $7)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, operation, outcome, bankId, note.subject, note.actor, note.detail)
    }
}

/// Adds an entry of a command, by the database's clock.
struct AppendCommandAudit: PostgresStatement {
    let audit: CommandAudit
    /// Which write of the command it is.
    let write: String

    typealias Row = Void

    static let sql = """
        SELECT append_audit(
            p_now => clock_timestamp(), p_operation => $1, p_outcome => $2, p_bank_id => $3, p_subject => NULL,
            p_actor => $4, p_detail => $5)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(audit.operation, write, audit.bankId?.text, audit.actor, audit.detail)
    }
}

private let entryColumns = "chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, hash"

private struct SelectAuditEntries: PostgresStatement {
    typealias Row = AuditEntryRecord

    let chainId: Int32
    let sequence: Int64
    let limit: Int32

    static let sql = """
        SELECT \(entryColumns) FROM audit_entry WHERE (chain_id, sequence) > ($1, $2) ORDER BY chain_id, sequence LIMIT $3
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(chainId, sequence, limit)
    }
}

private struct SelectFilteredAuditEntries: PostgresStatement {
    typealias Row = AuditEntryRecord

    let filter: AuditFilter
    let limit: Int32

    static let sql = """
        SELECT \(entryColumns) FROM audit_entry
        WHERE ($1::timestamptz IS NULL OR occurred_at >= $1) AND ($2::timestamptz IS NULL OR occurred_at < $2)
            AND ($3::text IS NULL OR bank_id = $3) AND ($4::text IS NULL OR operation = $4)
            AND ($5::bytea[] IS NULL OR subject = ANY ($5))
        ORDER BY occurred_at DESC, chain_id, sequence DESC LIMIT $6
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(filter.from, filter.to, filter.bankId?.text, filter.operation, filter.subjects, limit)
    }
}

extension AuditEntryRecord: PostgresRowDecodable {
    /// In the order of `entryColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            chainId: try row.decode(0), sequence: try row.decode(1), occurredAt: try row.decode(2),
            operation: try row.decode(3), outcome: try row.decode(4), bankId: try row.decode(5),
            subject: try row.decode(6), actor: try row.decode(7), detail: try row.decode(8), hash: try row.decode(9))
    }
}

/// Goes from chain to chain through the index, and reads one entry of each.
private let newestOfEachChain = """
    WITH RECURSIVE chain AS (
        (SELECT chain_id FROM audit_entry ORDER BY chain_id LIMIT 1)
        UNION ALL
        SELECT (SELECT next.chain_id FROM audit_entry AS next WHERE next.chain_id > chain.chain_id
            ORDER BY next.chain_id LIMIT 1)
        FROM chain WHERE chain.chain_id IS NOT NULL
    )
    SELECT newest.chain_id, newest.sequence, newest.hash
    FROM chain CROSS JOIN LATERAL (
        SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
    ) AS newest
    """

private struct SelectAuditHeads: PostgresStatement {
    typealias Row = AuditHead

    static let sql = "\(newestOfEachChain) ORDER BY newest.chain_id"
}

private struct SelectGrownAuditHeads: PostgresStatement {
    typealias Row = AuditHead

    static let sql = """
        \(newestOfEachChain) LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
        WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id
        """
}

private struct SelectRecentAuditHeads: PostgresStatement {
    typealias Row = AuditHead

    let time: Timestamp

    static let sql = """
        SELECT newest.chain_id, newest.sequence, newest.hash
        FROM (SELECT DISTINCT chain_id FROM audit_entry WHERE occurred_at >= $1) AS chain CROSS JOIN LATERAL (
            SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
        ) AS newest LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
        WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(time)
    }
}

extension AuditHead: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            chainId: try row.decode(0), sequence: try row.decode(1), hash: try row.decode(2))
    }
}
