package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// The seals after a number, in their order.
    package func auditSeals(after number: Int64, limit: Int) async throws(StoreError) -> [AuditSealRecord] {
        try await statements.execute(SelectAuditSeals(number: number, limit: Int32(clamping: limit)))
    }

    /// The closing that closes most of the trail, if there is one.
    package func newestAuditClosing() async throws(StoreError) -> AuditSealRecord? {
        try await statements.execute(SelectNewestAuditClosing()).first
    }

    /// Removes closed entries. The role must own the schema.
    ///
    /// - Parameter ends: the last closed entry of each chain.
    /// - Returns: how many were removed; less than `limit` if no more are left.
    package func removeClosedEntries(upTo ends: [AuditHead], limit: Int) async throws(StoreError) -> Int {
        try await statements.execute(DeleteClosedEntries(ends: ends, limit: Int32(clamping: limit)))
    }

    /// Removes closed seals. The role must own the schema.
    ///
    /// - Returns: as ``removeClosedEntries(upTo:limit:)``.
    package func removeClosedSeals(upTo number: Int64, limit: Int) async throws(StoreError) -> Int {
        try await statements.execute(DeleteClosedSeals(number: number, limit: Int32(clamping: limit)))
    }

    package func newestAuditSeal() async throws(StoreError) -> AuditSealRecord? {
        try await statements.execute(SelectNewestAuditSeal()).first
    }

    /// Whether a key has signed a seal. It reads all seals.
    package func hasAuditSeal(signedBy keyId: String) async throws(StoreError) -> Bool {
        try await statements.executeForOneRow(HasAuditSeal(keyId: keyId))
    }

    /// Adds a seal, and remembers its heads.
    ///
    /// - Returns: false if another server has added a seal with that number.
    package func insertAuditSeal(_ seal: AuditSealRecord, heads: [AuditHead]) async throws(StoreError) -> Bool {
        let (added, _) = try await statements.batch(
            InsertAuditSeal(seal: seal), UpsertAuditHeads(number: seal.number, hash: seal.hash, heads: heads))
        return added == 1
    }
}

private let sealColumns = """
    number, epoch, kind, sealed_at, note, heads, previous_hash, hash, key_id, signature, closed_number, closed_hash
    """

private struct SelectAuditSeals: PostgresStatement {
    typealias Row = AuditSealRecord

    let number: Int64
    let limit: Int32

    static let sql = "SELECT \(sealColumns) FROM audit_seal WHERE number > $1 ORDER BY number LIMIT $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(number, limit)
    }
}

private struct SelectNewestAuditSeal: PostgresStatement {
    typealias Row = AuditSealRecord

    static let sql = "SELECT \(sealColumns) FROM audit_seal ORDER BY number DESC LIMIT 1"
}

private struct SelectNewestAuditClosing: PostgresStatement {
    typealias Row = AuditSealRecord

    static let sql = """
        SELECT \(sealColumns) FROM audit_seal WHERE kind = 'closing' ORDER BY closed_number DESC, number DESC LIMIT 1
        """
}

private struct DeleteClosedEntries: PostgresCommand {
    let ends: [AuditHead]
    let limit: Int32

    static let sql = """
        DELETE FROM audit_entry WHERE (chain_id, sequence) IN (
            SELECT closed.chain_id, closed.sequence
            FROM unnest($1::integer[], $2::bigint[]) AS closed_end (chain_id, sequence)
                JOIN audit_entry AS closed
                ON closed.chain_id = closed_end.chain_id AND closed.sequence <= closed_end.sequence
            LIMIT $3)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(ends.map(\.chainId), ends.map(\.sequence), limit)
    }
}

private struct DeleteClosedSeals: PostgresCommand {
    let number: Int64
    let limit: Int32

    static let sql = """
        DELETE FROM audit_seal WHERE number IN (
            SELECT number FROM audit_seal WHERE number <= $1 ORDER BY number LIMIT $2)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(number, limit)
    }
}

extension AuditSealRecord: PostgresRowDecodable {
    /// In the order of `sealColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        let closedNumber: Int64? = try row.decode(10)
        let closedHash: [UInt8]? = try row.decode(11)
        self.init(
            number: try row.decode(0), epoch: try row.decode(1), kind: try row.decode(2), sealedAt: try row.decode(3),
            note: try row.decode(4), heads: try row.decode(5),
            closed: closedNumber.flatMap { number in closedHash.map { Closed(number: number, hash: $0) } },
            previousHash: try row.decode(6), hash: try row.decode(7), keyId: try row.decode(8),
            signature: try row.decode(9))
    }
}

private struct InsertAuditSeal: PostgresCommand {
    let seal: AuditSealRecord

    static let sql = """
        INSERT INTO audit_seal (\(sealColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(seal.number, seal.epoch, seal.kind, seal.sealedAt, seal.note)
        parameters.append(seal.heads, seal.previousHash, seal.hash, seal.keyId, seal.signature)
        parameters.append(seal.closed?.number, seal.closed?.hash)
    }
}

/// Does nothing if another server's seal got the number.
private struct UpsertAuditHeads: PostgresCommand {
    let number: Int64
    let hash: [UInt8]
    let heads: [AuditHead]

    static let sql = """
        INSERT INTO audit_head (chain_id, sequence, hash)
        SELECT new.chain_id, new.sequence, new.hash
        FROM unnest($3::integer[], $4::bigint[], $5::bytea[]) AS new (chain_id, sequence, hash)
        WHERE EXISTS (SELECT FROM audit_seal WHERE number = $1 AND audit_seal.hash = $2)
        ON CONFLICT (chain_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(number, hash, heads.map(\.chainId), heads.map(\.sequence), heads.map(\.hash))
    }
}

private struct HasAuditSeal: PostgresStatement {
    typealias Row = Bool

    let keyId: String

    static let sql = "SELECT EXISTS (SELECT FROM audit_seal WHERE key_id = $1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId)
    }
}
