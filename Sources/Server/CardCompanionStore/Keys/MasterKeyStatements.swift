package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// All master keys, the oldest first.
    package func masterKeys() async throws(StoreError) -> [MasterKeyRecord] {
        try await statements.execute(SelectMasterKeys())
    }

    /// Adds a master key. One that was replaced is active again.
    package func insertMasterKey(_ key: MasterKeyRecord) async throws(StoreError) {
        _ = try await statements.execute(InsertMasterKey(key: key))
    }

    /// Adds a recovery key with its wrappings, and replaces an earlier one, all at once.
    ///
    /// - Throws: `conflict` or the like if another one was added meanwhile.
    package func insertRecoveryKey(
        _ key: MasterKeyRecord, replacing old: String?, wrappings: [DataKeyWrapping]
    ) async throws(StoreError) {
        _ = try await statements.batch(
            ReplaceMasterKeys(ids: old.map { [$0] } ?? []), InsertMasterKey(key: key),
            InsertWrappings(wrappings: wrappings, now: key.createdAt))
    }

    /// Marks master keys as replaced.
    package func replaceMasterKeys(ids: [String]) async throws(StoreError) {
        _ = try await statements.execute(ReplaceMasterKeys(ids: ids))
    }

    package func dataKeyWrappings() async throws(StoreError) -> [DataKeyWrapping] {
        try await statements.execute(SelectWrappings())
    }

    /// Adds wrappings, unless they are there.
    package func insertWrappings(_ wrappings: [DataKeyWrapping], now: Timestamp) async throws(StoreError) {
        _ = try await statements.execute(InsertWrappings(wrappings: wrappings, now: now))
    }

    /// Removes the wrappings of replaced master keys, if each server that was seen since `time` uses an active one, and there
    /// is such a server. A data key keeps its last wrapping by an active vault's key.
    ///
    /// - Returns: how many were removed.
    package func deleteReplacedWrappings(seenSince time: Timestamp) async throws(StoreError) -> Int {
        try await statements.execute(DeleteReplacedWrappings(since: time))
    }

    /// Records which master key a server uses, and forgets servers that were not seen since `time`.
    package func reportServerVault(_ record: ServerVaultRecord, forgettingBefore time: Timestamp)
        async throws(StoreError)
    {
        _ = try await statements.batch(
            UpsertServerVault(record: record), DeleteOldServerVaults(time: time))
    }

    /// The servers that were seen since `time`.
    package func serverVaults(seenSince time: Timestamp) async throws(StoreError) -> [ServerVaultRecord] {
        try await statements.execute(SelectServerVaults(since: time))
    }

    /// Forgets a server that stops.
    package func deleteServerVault(serverId: String) async throws(StoreError) {
        _ = try await statements.execute(DeleteServerVault(serverId: serverId))
    }
}

private struct SelectMasterKeys: PostgresStatement {
    static let sql =
        "SELECT id, kind, name, sealed_public_key, status, created_at FROM master_key ORDER BY created_at, id"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> MasterKeyRecord {
        MasterKeyRecord(
            id: try row.decode(0), kind: try row.decode(1), name: try row.decode(2),
            sealedPublicKey: try row.decode(3), status: try row.decode(4), createdAt: try row.decode(5))
    }
}

private struct InsertMasterKey: PostgresCommand {
    let key: MasterKeyRecord

    static let sql = """
        INSERT INTO master_key (id, kind, name, sealed_public_key, status, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (id) DO UPDATE SET status = excluded.status, name = excluded.name
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(key.id, key.kind, key.name, key.sealedPublicKey, key.status, key.createdAt)
    }
}

private struct ReplaceMasterKeys: PostgresCommand {
    let ids: [String]

    static let sql = "UPDATE master_key SET status = 'REPLACED' WHERE id = ANY ($1::text[])"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(ids)
    }
}

private struct SelectWrappings: PostgresStatement {
    static let sql = """
        SELECT data_key_id, master_key_id, wrapped_key FROM data_key_wrapping ORDER BY data_key_id, created_at
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> DataKeyWrapping {
        DataKeyWrapping(
            dataKeyId: try row.decode(0), masterKeyId: try row.decode(1), wrappedKey: try row.decode(2))
    }
}

private struct InsertWrappings: PostgresCommand {
    let wrappings: [DataKeyWrapping]
    let now: Timestamp

    static let sql = """
        INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
        SELECT new.data_key_id, new.master_key_id, new.wrapped_key, $4
        FROM unnest($1::integer[], $2::text[], $3::bytea[]) AS new (data_key_id, master_key_id, wrapped_key)
            JOIN data_key ON data_key.id = new.data_key_id AND data_key.state <> 'DESTROYED'
        ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            wrappings.map(\.dataKeyId), wrappings.map(\.masterKeyId), wrappings.map(\.wrappedKey), now)
    }
}

private struct DeleteReplacedWrappings: PostgresCommand {
    let since: Timestamp

    static let sql = """
        WITH live AS (
            SELECT key.status FROM server_vault JOIN master_key AS key ON key.id = server_vault.master_key_id
            WHERE server_vault.seen_at >= $1
        )
        DELETE FROM data_key_wrapping AS old USING master_key AS replaced
        WHERE replaced.id = old.master_key_id AND replaced.status = 'REPLACED'
            AND EXISTS (SELECT FROM live) AND NOT EXISTS (SELECT FROM live WHERE status = 'REPLACED')
            AND EXISTS (
                SELECT FROM data_key_wrapping AS other JOIN master_key AS key ON key.id = other.master_key_id
                WHERE other.data_key_id = old.data_key_id AND key.status = 'ACTIVE' AND key.kind <> 'recovery')
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(since)
    }
}

private struct UpsertServerVault: PostgresCommand {
    let record: ServerVaultRecord

    static let sql = """
        INSERT INTO server_vault (server_id, master_key_id, seen_at) VALUES ($1, $2, $3)
        ON CONFLICT (server_id) DO UPDATE SET master_key_id = excluded.master_key_id, seen_at = excluded.seen_at
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(record.serverId, record.masterKeyId, record.seenAt)
    }
}

private struct DeleteOldServerVaults: PostgresCommand {
    let time: Timestamp

    static let sql = "DELETE FROM server_vault WHERE seen_at < $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(time)
    }
}

private struct DeleteServerVault: PostgresCommand {
    let serverId: String

    static let sql = "DELETE FROM server_vault WHERE server_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(serverId)
    }
}

private struct SelectServerVaults: PostgresStatement {
    let since: Timestamp

    static let sql = """
        SELECT server_id, master_key_id, seen_at FROM server_vault WHERE seen_at >= $1 ORDER BY server_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(since)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ServerVaultRecord {
        ServerVaultRecord(
            serverId: try row.decode(0), masterKeyId: try row.decode(1), seenAt: try row.decode(2))
    }
}
