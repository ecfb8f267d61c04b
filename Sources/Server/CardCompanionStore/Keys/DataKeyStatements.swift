package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a key of a purpose, as the first one or as the successor of another one.
    ///
    /// - Parameters:
    ///   - id: greater than that of all other keys.
    ///   - wrappings: the key, wrapped by each master key; at least one.
    /// - Returns: false if another server was faster.
    package func insertDataKey(
        id: Int32, purpose: DataKeyPurpose, replacing replaced: Int32?, wrappings: [DataKeyWrapping],
        activeFrom: Timestamp, now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            WITH added AS (
                INSERT INTO data_key (id, purpose, replaces, state, active_from, created_at)
                VALUES (\(id, purpose, replaced), 'USABLE', \(activeFrom, now))
                ON CONFLICT DO NOTHING RETURNING id
            )
            INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
            SELECT added.id, new.master_key_id, new.wrapped_key, \(now)
            FROM added, unnest(\(wrappings.map(\.masterKeyId), wrappings.map(\.wrappedKey)))
                AS new (master_key_id, wrapped_key)
            """) > 0
    }

    /// All data keys, in the order in which they were added.
    package func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        try await statements.rows(
            "SELECT id, purpose, replaces, state, active_from, uses, created_at FROM data_key ORDER BY id")
    }

    /// Counts values that a server has sealed with a key.
    package func addUses(_ count: Int64, ofDataKey id: Int32) async throws(StoreError) {
        try await statements.execute("UPDATE data_key SET uses = uses + \(count) WHERE id = \(id)")
    }

    /// Changes the state of a key that has a successor. A destroyed key loses its wrappings, so no value may still need it.
    ///
    /// - Returns: false if there is no such key with a successor, or if it is destroyed.
    package func setDataKey(id: Int32, state: DataKeyState) async throws(StoreError) -> Bool {
        let change: PostgresQuery = """
            UPDATE data_key SET state = \(state) WHERE id = \(id) AND state <> 'DESTROYED'
                AND EXISTS (SELECT FROM data_key AS next WHERE next.replaces = \(id))
            """
        guard state == .destroyed else { return try await statements.execute(change) == 1 }
        let deleteWrappings: PostgresQuery = """
            DELETE FROM data_key_wrapping
            WHERE data_key_id = \(id) AND EXISTS (SELECT FROM data_key WHERE data_key.id = \(id) AND state = 'DESTROYED')
            """
        return try await statements.batch(change, deleteWrappings).0 == 1
    }
}

extension DataKeyRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(), purpose: try row.next(), replaces: try row.next(), state: try row.next(),
            activeFrom: try row.next(), uses: try row.next(), createdAt: try row.next())
    }
}
