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
        try await statements.rows(
            """
            SELECT \(sql: AuditEntryRecord.columns) FROM audit_entry WHERE (chain_id, sequence) > (\(chainId, sequence))
            ORDER BY chain_id, sequence LIMIT \(limit)
            """)
    }

    /// The newest entries that pass a filter, the newest first.
    package func auditEntries(_ filter: AuditFilter, limit: Int) async throws(StoreError) -> [AuditEntryRecord] {
        try await statements.rows(
            """
            SELECT \(sql: AuditEntryRecord.columns) FROM audit_entry
            WHERE (\(filter.from) IS NULL OR occurred_at >= \(filter.from))
                AND (\(filter.to) IS NULL OR occurred_at < \(filter.to))
                AND (\(filter.bankId) IS NULL OR bank_id = \(filter.bankId))
                AND (\(filter.operation) IS NULL OR operation = \(filter.operation))
                AND (\(filter.subjects) IS NULL OR subject = ANY (\(filter.subjects)))
            ORDER BY occurred_at DESC, chain_id, sequence DESC LIMIT \(limit)
            """)
    }

    /// The ends of chains that have grown since the newest seal.
    ///
    /// - Parameter time: only chains with an entry since then; nil for all chains, which takes long if there are many.
    package func grownAuditHeads(since time: Timestamp?) async throws(StoreError) -> [AuditHead] {
        guard let time else {
            return try await statements.rows(
                """
                \(sql: AuditHead.newestOfEachChain) LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
                WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id
                """)
        }
        return try await statements.rows(
            """
            SELECT newest.chain_id, newest.sequence, newest.hash
            FROM (SELECT DISTINCT chain_id FROM audit_entry WHERE occurred_at >= \(time)) AS chain CROSS JOIN LATERAL (
                SELECT * FROM audit_entry WHERE audit_entry.chain_id = chain.chain_id ORDER BY sequence DESC LIMIT 1
            ) AS newest LEFT JOIN audit_head ON audit_head.chain_id = newest.chain_id
            WHERE newest.sequence > coalesce(audit_head.sequence, 0) ORDER BY newest.chain_id
            """)
    }

    /// The entries between the newest seal and these ends that are from before a time.
    package func lateAuditEntries(
        upTo ends: [AuditHead], before time: Timestamp
    ) async throws(StoreError) -> [LateEntries] {
        try await statements.rows(
            """
            SELECT chain_id, min(sequence), max(sequence) FROM (
                SELECT entry.chain_id, entry.sequence,
                    entry.sequence - row_number() OVER (PARTITION BY entry.chain_id ORDER BY entry.sequence) AS island
                FROM unnest(\(ends.map(\.chainId), ends.map(\.sequence))) AS new_end (chain_id, sequence)
                    LEFT JOIN audit_head ON audit_head.chain_id = new_end.chain_id
                    JOIN audit_entry AS entry ON entry.chain_id = new_end.chain_id
                        AND entry.sequence > coalesce(audit_head.sequence, 0) AND entry.sequence <= new_end.sequence
                WHERE entry.occurred_at <= \(time)
            ) AS late GROUP BY chain_id, island ORDER BY chain_id, min(sequence)
            """)
    }

    /// The sealed ends whose entry is missing or another one, and those that audit_head has forgotten.
    package func changedAuditEnds(of ends: [AuditHead]) async throws(StoreError) -> [AuditHead] {
        try await statements.rows(
            """
            SELECT known.chain_id, known.sequence, known.hash
            FROM unnest(\(ends.map(\.chainId), ends.map(\.sequence), ends.map(\.hash)))
                    AS known (chain_id, sequence, hash)
                LEFT JOIN audit_entry ON audit_entry.chain_id = known.chain_id AND audit_entry.sequence = known.sequence
                LEFT JOIN audit_head ON audit_head.chain_id = known.chain_id
            WHERE audit_entry.hash IS DISTINCT FROM known.hash OR coalesce(audit_head.sequence, 0) < known.sequence
            ORDER BY known.chain_id
            """)
    }

    /// Adds an entry with rows whose earlier entries are about to be closed.
    ///
    /// - Parameter rows: as changes (docs/audit.md).
    package func carryRows(_ rows: [UInt8], detail: String, now: Timestamp) async throws(StoreError) {
        let work = AuditNote.ofWork
        _ = try await statements.execute(
            AppendAudit(
                operation: work.operation, outcome: AuditWords.word(for: "carryRows"), bankId: nil,
                note: AuditNote(subject: nil, actor: work.actor, detail: detail), rows: rows, now: now))
    }

    /// Rows of cardholders or passes, with the digests that the trail must have, in the order of their names.
    ///
    /// - Parameter bankId: nil for the rows of all banks.
    package func auditedRows(
        _ table: AuditedRow.Table, bankId: Identifier?, after last: (bankId: String, uniqueId: String), limit: Int
    ) async throws(StoreError) -> [AuditedRow] {
        let (digested, tableName): (SQLText, SQLText) =
            switch table {
            case .cardholder: ("row_id, changes, cardholder_digest(p_row => cardholder)", "cardholder")
            case .pass: ("row_id, 1::bigint, pass_digest(p_row => identity_pass)", "identity_pass")
            }
        let rows: [(String, String, Int64, Int64, [UInt8])] =
            try await statements.rows(
                """
                SELECT bank_id, unique_id, \(sql: digested) FROM \(sql: tableName)
                WHERE (bank_id, unique_id) > (\(last.bankId)::identifier, \(last.uniqueId)::identifier)
                    AND (\(bankId) IS NULL OR bank_id = \(bankId))
                ORDER BY bank_id, unique_id LIMIT \(limit)
                """)
        return rows.map { bankId, uniqueId, rowId, changes, digest in
            AuditedRow(
                table: table, bankId: bankId, uniqueId: uniqueId, rowId: rowId, changes: changes, digest: digest)
        }
    }

    /// The ends of all chains.
    package func auditChains() async throws(StoreError) -> [AuditHead] {
        try await statements.rows("\(sql: AuditHead.newestOfEachChain) ORDER BY newest.chain_id")
    }
}

/// Adds an entry together with the statement that it records.
struct AppendAudit: PostgresStatement {
    let operation: String
    let outcome: String
    let bankId: String?
    let note: AuditNote
    var rows: [UInt8]?
    let now: Timestamp

    typealias Row = Void

    static let sql = """
        SELECT append_audit(
            p_now => $1, p_operation => $2, p_outcome => $3, p_bank_id => $4, p_subject => $5, p_actor => $6,
            p_detail => $7, p_rows => $8)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, operation, outcome, bankId, note.subject, note.actor, note.detail, rows)
    }
}

/// Adds an entry of a command, by the database's clock. A transaction without an id has written nothing: the command was refused,
/// and gets no entry.
struct AppendCommandAudit: PostgresStatement {
    let audit: CommandAudit
    /// What the command has done (``AuditWords``).
    let word: String

    typealias Row = Void

    static let sql = """
        SELECT append_audit(
            p_now => clock_timestamp(), p_operation => $1, p_outcome => $2, p_bank_id => $3, p_subject => $6,
            p_actor => $4, p_detail => $5)
        WHERE pg_current_xact_id_if_assigned() IS NOT NULL
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(audit.operation, word, audit.bankId?.text, audit.actor, audit.detail, audit.subject)
    }
}

extension AuditEntryRecord: PostgresRowDecodable {
    static let columns: SQLText = """
        chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, detail, rows, hash
        """

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            chainId: try row.next(), sequence: try row.next(), occurredAt: try row.next(),
            operation: try row.next(), outcome: try row.next(), bankId: try row.next(),
            subject: try row.next(), actor: try row.next(), detail: try row.next(), rows: try row.next(),
            hash: try row.next())
    }
}

extension LateEntries: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(chainId: try row.next(), first: try row.next(), last: try row.next())
    }
}

extension AuditHead: PostgresRowDecodable {
    /// Goes from chain to chain through the index, and reads one entry of each.
    fileprivate static let newestOfEachChain: SQLText = """
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

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(chainId: try row.next(), sequence: try row.next(), hash: try row.next())
    }
}
