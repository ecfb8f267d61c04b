package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// The seals after a number, in their order.
    package func auditSeals(after number: Int64, limit: Int) async throws(StoreError) -> [AuditSealRecord] {
        try await statements.rows(
            """
            SELECT \(sql: AuditSealRecord.columns) FROM audit_seal WHERE number > \(number)
            ORDER BY number LIMIT \(limit)
            """)
    }

    /// The closing that closes most of the trail, if there is one.
    package func newestAuditClosing() async throws(StoreError) -> AuditSealRecord? {
        try await statements.firstRow(
            """
            SELECT \(sql: AuditSealRecord.columns) FROM audit_seal WHERE kind = 'closing'
            ORDER BY named_number DESC, number DESC LIMIT 1
            """)
    }

    /// The newest epoch that gives up a seal with that number, or a later one.
    package func newestAuditEpoch(givingUp number: Int64) async throws(StoreError) -> AuditSealRecord? {
        try await statements.firstRow(
            """
            SELECT \(sql: AuditSealRecord.columns) FROM audit_seal
            WHERE kind = 'epoch' AND number > \(number) AND named_number >= \(number) ORDER BY number DESC LIMIT 1
            """)
    }

    /// Removes closed entries. The role must own the schema.
    ///
    /// - Parameter ends: the last closed entry of each chain.
    /// - Returns: how many were removed; less than `limit` if no more are left.
    package func removeClosedEntries(upTo ends: [AuditHead], limit: Int) async throws(StoreError) -> Int {
        try await statements.execute(
            """
            DELETE FROM audit_entry WHERE (chain_id, sequence) IN (
                SELECT closed.chain_id, closed.sequence
                FROM unnest(\(ends.map(\.chainId), ends.map(\.sequence))) AS closed_end (chain_id, sequence)
                    JOIN audit_entry AS closed
                    ON closed.chain_id = closed_end.chain_id AND closed.sequence <= closed_end.sequence
                LIMIT \(limit))
            """)
    }

    /// Removes closed seals. The role must own the schema.
    ///
    /// - Returns: as ``removeClosedEntries(upTo:limit:)``.
    package func removeClosedSeals(upTo number: Int64, limit: Int) async throws(StoreError) -> Int {
        try await statements.execute(
            """
            DELETE FROM audit_seal WHERE number IN (
                SELECT number FROM audit_seal WHERE number <= \(number) ORDER BY number LIMIT \(limit))
            """)
    }

    package func newestAuditSeal() async throws(StoreError) -> AuditSealRecord? {
        try await statements.firstRow(
            "SELECT \(sql: AuditSealRecord.columns) FROM audit_seal ORDER BY number DESC LIMIT 1")
    }

    /// Whether a key has signed a seal. It reads all seals.
    package func hasAuditSeal(signedBy keyId: String) async throws(StoreError) -> Bool {
        try await statements.row("SELECT EXISTS (SELECT FROM audit_seal WHERE key_id = \(keyId))")
    }

    /// Adds a seal, and remembers its heads.
    ///
    /// - Parameter newest: the number of the newest seal until now; 0 if there is none.
    /// - Returns: false if the newest seal is another one, because another server was faster.
    package func insertAuditSeal(
        _ seal: AuditSealRecord, after newest: Int64, heads: [AuditHead]
    ) async throws(StoreError) -> Bool {
        let (added, _) = try await statements.batch(
            PostgresQuery(
                """
                INSERT INTO audit_seal (\(sql: AuditSealRecord.columns))
                SELECT \(seal.number, seal.epoch, seal.kind, seal.sealedAt, seal.note, seal.heads, seal.late),
                    \(seal.named?.number, seal.named?.hash, seal.previousHash, seal.hash, seal.keyId, seal.signature)
                WHERE coalesce((SELECT max(number) FROM audit_seal), 0) = \(newest)
                ON CONFLICT DO NOTHING
                """),
            // Does nothing if another server's seal got the number.
            PostgresQuery(
                """
                INSERT INTO audit_head (chain_id, sequence, hash)
                SELECT new.chain_id, new.sequence, new.hash
                FROM unnest(\(heads.map(\.chainId), heads.map(\.sequence), heads.map(\.hash)))
                    AS new (chain_id, sequence, hash)
                WHERE EXISTS (SELECT FROM audit_seal WHERE number = \(seal.number) AND audit_seal.hash = \(seal.hash))
                ON CONFLICT (chain_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
                """))
        return added == 1
    }
}

extension AuditSealRecord: PostgresRowDecodable {
    static let columns: SQLText = """
        number, epoch, kind, sealed_at, note, heads, late, named_number, named_hash, previous_hash, hash, key_id, signature
        """

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            number: try row.next(), epoch: try row.next(), kind: try row.next(), sealedAt: try row.next(),
            note: try row.next(), heads: try row.next(), late: try row.next(), named: try Mark(&row),
            previousHash: try row.next(), hash: try row.next(), keyId: try row.next(), signature: try row.next())
    }
}

extension Mark {
    /// Nil if both columns are null.
    fileprivate init?(_ row: inout PostgresRow) throws(PostgresError) {
        let (number, hash): (Int64?, [UInt8]?) = (try row.next(), try row.next())
        guard let number, let hash else { return nil }
        self.init(number: number, hash: hash)
    }
}
