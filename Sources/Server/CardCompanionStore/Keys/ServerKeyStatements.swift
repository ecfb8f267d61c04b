package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds the active key of a kind, unless another server was faster.
    package func insertServerKey(_ key: NewServerKey, now: Timestamp) async throws(StoreError) {
        try await statements.execute(Self.serverKeyInsertion(key, now))
    }

    private static func serverKeyInsertion(_ key: NewServerKey, _ now: Timestamp) -> PostgresQuery {
        """
        INSERT INTO server_key (key_id, kind, sealed_key, sealed_public_key, status, created_at)
        VALUES (\(key.keyId, key.kind, key.sealedKey, key.sealedPublicKey), 'ACTIVE', \(now))
        ON CONFLICT (kind) WHERE status = 'ACTIVE' DO NOTHING
        """
    }

    /// All of the server's keys: of each kind the active one first, then the newest.
    package func serverKeys() async throws(StoreError) -> [ServerKeyRecord] {
        try await statements.rows(
            "SELECT \(sql: ServerKeyRecord.columns) FROM server_key ORDER BY kind, status, created_at DESC")
    }

    package func serverKey(keyId: String) async throws(StoreError) -> ServerKeyRecord? {
        try await statements.firstRow("SELECT \(sql: ServerKeyRecord.columns) FROM server_key WHERE key_id = \(keyId)")
    }

    /// Makes a new key the active one of its kind. The previous one becomes `retiring`.
    ///
    /// - Returns: false if another rotation was faster.
    package func rotateServerKey(to key: NewServerKey, now: Timestamp) async throws(StoreError) -> Bool {
        let demote: PostgresQuery = """
            UPDATE server_key SET status = 'RETIRING', demoted_at = \(now)
            WHERE kind = \(key.kind) AND status = 'ACTIVE'
            """
        return try await statements.batch(demote, Self.serverKeyInsertion(key, now)).1 == 1
    }

    /// Takes a key that is retiring out of the published set.
    ///
    /// - Parameter erases: whether the key is erased at once. That is possible after it was retired too.
    /// - Returns: false if nothing has changed.
    package func retireServerKey(keyId: String, erases: Bool, now: Timestamp) async throws(StoreError) -> Bool {
        // A signing key opens nothing. Its public half stays.
        try await statements.execute(
            """
            UPDATE server_key SET
                status = 'RETIRED', retired_at = coalesce(retired_at, \(now)),
                sealed_key = CASE WHEN kind <> 'SIGNING' AND NOT \(erases) THEN sealed_key END
            WHERE key_id = \(keyId) AND (
                status = 'RETIRING' OR (status = 'RETIRED' AND \(erases) AND sealed_key IS NOT NULL))
            """) == 1
    }
}

extension ServerKeyRecord: PostgresRowDecodable {
    static let columns: SQLText = """
        key_id, kind, status, sealed_key, sealed_public_key, created_at, demoted_at, retired_at
        """

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            keyId: try row.next(), kind: try row.next(), status: try row.next(), sealedKey: try row.next(),
            sealedPublicKey: try row.next(), createdAt: try row.next(), demotedAt: try row.next(),
            retiredAt: try row.next())
    }
}
