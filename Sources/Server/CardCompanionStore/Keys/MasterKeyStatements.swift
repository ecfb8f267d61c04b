package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// All master keys, the oldest first.
    package func masterKeys() async throws(StoreError) -> [MasterKeyRecord] {
        try await statements.rows(
            "SELECT \(sql: MasterKeyRecord.columns) FROM master_key ORDER BY created_at, id")
    }

    /// Adds a master key. One that was replaced is active again.
    package func insertMasterKey(_ key: MasterKeyRecord) async throws(StoreError) {
        try await statements.execute(Self.masterKeyInsertion(key))
    }

    /// Adds a recovery key with its wrappings, and replaces an earlier one, all at once.
    ///
    /// - Throws: `conflict` or the like if another one was added meanwhile.
    package func insertRecoveryKey(
        _ key: MasterKeyRecord, replacing old: String?, wrappings: [DataKeyWrapping]
    ) async throws(StoreError) {
        _ = try await statements.batch(
            Self.masterKeyReplacement(ids: old.map { [$0] } ?? []), Self.masterKeyInsertion(key),
            Self.wrappingInsertion(wrappings, now: key.createdAt))
    }

    /// Marks master keys as replaced.
    package func replaceMasterKeys(ids: [String]) async throws(StoreError) {
        try await statements.execute(Self.masterKeyReplacement(ids: ids))
    }

    package func dataKeyWrappings() async throws(StoreError) -> [DataKeyWrapping] {
        try await statements.rows(
            "SELECT \(sql: DataKeyWrapping.columns) FROM data_key_wrapping ORDER BY data_key_id, created_at")
    }

    /// Adds wrappings, unless they are there.
    package func insertWrappings(_ wrappings: [DataKeyWrapping], now: Timestamp) async throws(StoreError) {
        try await statements.execute(Self.wrappingInsertion(wrappings, now: now))
    }

    /// Removes the wrappings of replaced master keys, if each server that was seen since `time` uses an active one, and there
    /// is such a server. A data key keeps its last wrapping by an active vault's key.
    ///
    /// - Returns: how many were removed.
    package func deleteReplacedWrappings(seenSince time: Timestamp) async throws(StoreError) -> Int {
        try await statements.execute(
            """
            WITH live AS (
                SELECT key.status FROM server_vault JOIN master_key AS key ON key.id = server_vault.master_key_id
                WHERE server_vault.seen_at >= \(time)
            )
            DELETE FROM data_key_wrapping AS old USING master_key AS replaced
            WHERE replaced.id = old.master_key_id AND replaced.status = 'REPLACED'
                AND EXISTS (SELECT FROM live) AND NOT EXISTS (SELECT FROM live WHERE status = 'REPLACED')
                AND EXISTS (
                    SELECT FROM data_key_wrapping AS other JOIN master_key AS key ON key.id = other.master_key_id
                    WHERE other.data_key_id = old.data_key_id AND key.status = 'ACTIVE' AND key.kind <> 'recovery')
            """)
    }

    /// Records what a server uses, and forgets servers that were not seen since `time`.
    package func reportServerVault(_ record: ServerVaultRecord, forgettingBefore time: Timestamp)
        async throws(StoreError)
    {
        _ = try await statements.batch(
            PostgresQuery(
                """
                INSERT INTO server_vault (\(sql: ServerVaultRecord.columns))
                VALUES (
                    \(record.serverId, record.serverName, record.masterKeyId, record.inventoryVersion, record.seenAt))
                ON CONFLICT (server_id) DO UPDATE SET master_key_id = excluded.master_key_id,
                    inventory_version = excluded.inventory_version, seen_at = excluded.seen_at
                """),
            PostgresQuery("DELETE FROM server_vault WHERE seen_at < \(time)"))
    }

    /// The servers that were seen since `time`.
    package func serverVaults(seenSince time: Timestamp) async throws(StoreError) -> [ServerVaultRecord] {
        try await statements.rows(
            "SELECT \(sql: ServerVaultRecord.columns) FROM server_vault WHERE seen_at >= \(time) ORDER BY server_name, server_id"
        )
    }

    /// Forgets a server that stops.
    package func deleteServerVault(serverId: String) async throws(StoreError) {
        try await statements.execute("DELETE FROM server_vault WHERE server_id = \(serverId)")
    }
}

extension Store {
    private static func masterKeyInsertion(_ key: MasterKeyRecord) -> PostgresQuery {
        """
        INSERT INTO master_key (\(sql: MasterKeyRecord.columns))
        VALUES (\(key.id, key.kind, key.name, key.sealedPublicKey, key.status, key.createdAt))
        ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name
        """
    }

    private static func masterKeyReplacement(ids: [String]) -> PostgresQuery {
        "UPDATE master_key SET status = 'REPLACED' WHERE id = ANY (\(ids))"
    }

    private static func wrappingInsertion(_ wrappings: [DataKeyWrapping], now: Timestamp) -> PostgresQuery {
        """
        INSERT INTO data_key_wrapping (\(sql: DataKeyWrapping.columns), created_at)
        SELECT new.data_key_id, new.master_key_id, new.wrapped_key, \(now)
        FROM unnest(
            \(wrappings.map(\.dataKeyId), wrappings.map(\.masterKeyId), wrappings.map(\.wrappedKey))
        ) AS new (\(sql: DataKeyWrapping.columns))
            JOIN data_key ON data_key.id = new.data_key_id AND data_key.state <> 'DESTROYED'
        ON CONFLICT DO NOTHING
        """
    }
}

extension MasterKeyRecord: PostgresRowDecodable {
    static let columns: SQLText = "id, kind, name, sealed_public_key, status, created_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(), kind: try row.next(), name: try row.next(), sealedPublicKey: try row.next(),
            status: try row.next(), createdAt: try row.next())
    }
}

extension DataKeyWrapping: PostgresRowDecodable {
    static let columns: SQLText = "data_key_id, master_key_id, wrapped_key"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(dataKeyId: try row.next(), masterKeyId: try row.next(), wrappedKey: try row.next())
    }
}

extension ServerVaultRecord: PostgresRowDecodable {
    static let columns: SQLText = "server_id, server_name, master_key_id, inventory_version, seen_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            serverId: try row.next(), serverName: try row.next(), masterKeyId: try row.next(),
            inventoryVersion: try row.next(), seenAt: try row.next())
    }
}
