package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds the active key of a kind, unless another server was faster.
    package func insertServerKey(
        keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(InsertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: now))
    }

    /// All of the server's keys: of each kind the active one first, then the newest.
    package func serverKeys() async throws(StoreError) -> [ServerKeyRecord] {
        try await statements.execute(SelectServerKeys())
    }

    package func serverKey(keyId: String) async throws(StoreError) -> ServerKeyRecord? {
        try await statements.execute(SelectServerKey(keyId: keyId)).first
    }

    /// Makes a new key the active one of its kind. The previous one becomes `retiring`.
    ///
    /// - Returns: false if another rotation was faster.
    package func rotateServerKey(
        keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], now: Timestamp
    ) async throws(StoreError) -> Bool {
        let (_, inserted) = try await statements.batch(
            DemoteServerKey(kind: kind, now: now),
            InsertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: now))
        return inserted == 1
    }

    /// Takes a key that is retiring out of the published set.
    ///
    /// - Parameter erases: whether the key is erased at once. That is possible after it was retired too.
    /// - Returns: false if nothing has changed.
    package func retireServerKey(keyId: String, erases: Bool, now: Timestamp) async throws(StoreError) -> Bool {
        try await statements.execute(RetireServerKey(keyId: keyId, erases: erases, now: now)) == 1
    }
}

private struct InsertServerKey: PostgresCommand {
    let keyId: String
    let kind: ServerKeyKind
    let sealedKey: [UInt8]
    let now: Timestamp

    static let sql = """
        INSERT INTO server_key (key_id, kind, sealed_key, status, created_at)
        VALUES ($1, $2, $3, 'ACTIVE', $4)
        ON CONFLICT (kind) WHERE status = 'ACTIVE' DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId, kind, sealedKey, now)
    }
}

private let serverKeyColumns = "key_id, kind, status, sealed_key, created_at, demoted_at, retired_at"

private struct SelectServerKeys: PostgresStatement {
    typealias Row = ServerKeyRecord

    static let sql = "SELECT \(serverKeyColumns) FROM server_key ORDER BY kind, status, created_at DESC"
}

private struct SelectServerKey: PostgresStatement {
    typealias Row = ServerKeyRecord

    let keyId: String

    static let sql = "SELECT \(serverKeyColumns) FROM server_key WHERE key_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId)
    }
}

extension ServerKeyRecord: PostgresRowDecodable {
    /// In the order of `serverKeyColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            keyId: try row.decode(0), kind: try row.decode(1), status: try row.decode(2), sealedKey: try row.decode(3),
            createdAt: try row.decode(4), demotedAt: try row.decode(5), retiredAt: try row.decode(6))
    }
}

private struct DemoteServerKey: PostgresCommand {
    let kind: ServerKeyKind
    let now: Timestamp

    static let sql = "UPDATE server_key SET status = 'RETIRING', demoted_at = $2 WHERE kind = $1 AND status = 'ACTIVE'"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(kind, now)
    }
}

private struct RetireServerKey: PostgresCommand {
    let keyId: String
    let erases: Bool
    let now: Timestamp

    // A signing key opens nothing.
    static let sql = """
        UPDATE server_key SET
            status = 'RETIRED', retired_at = coalesce(retired_at, $3),
            sealed_key = CASE WHEN kind <> 'SIGNING' AND NOT $2 THEN sealed_key END
        WHERE key_id = $1 AND (status = 'RETIRING' OR (status = 'RETIRED' AND $2 AND sealed_key IS NOT NULL))
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId, erases, now)
    }
}
