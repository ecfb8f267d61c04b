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
            InsertDataKey(
                id: id, purpose: purpose, replaced: replaced, wrappings: wrappings, activeFrom: activeFrom, now: now))
            > 0
    }

    /// All data keys, in the order in which they were added.
    package func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        try await statements.execute(SelectDataKeys())
    }

    /// Counts values that a server has sealed with a key.
    package func addUses(_ count: Int64, ofDataKey id: Int32) async throws(StoreError) {
        _ = try await statements.execute(AddUses(id: id, count: count))
    }

    /// Changes the state of a key that has a successor. A destroyed key loses its wrappings, so no value may still need it.
    ///
    /// - Returns: false if there is no such key with a successor, or if it is destroyed.
    package func setDataKey(id: Int32, state: DataKeyState) async throws(StoreError) -> Bool {
        guard state == .destroyed else { return try await statements.execute(SetDataKey(id: id, state: state)) == 1 }
        let (changed, _) = try await statements.batch(SetDataKey(id: id, state: state), DeleteWrappings(id: id))
        return changed == 1
    }
}

private struct InsertDataKey: PostgresCommand {
    let id: Int32
    let purpose: DataKeyPurpose
    let replaced: Int32?
    let wrappings: [DataKeyWrapping]
    let activeFrom: Timestamp
    let now: Timestamp

    static let sql = """
        WITH added AS (
            INSERT INTO data_key (id, purpose, replaces, state, active_from, created_at)
            VALUES ($1, $2, $3, 'USABLE', $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
        )
        INSERT INTO data_key_wrapping (data_key_id, master_key_id, wrapped_key, created_at)
        SELECT added.id, new.master_key_id, new.wrapped_key, $5
        FROM added, unnest($6::text[], $7::bytea[]) AS new (master_key_id, wrapped_key)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            id, purpose, replaced, activeFrom, now, wrappings.map(\.masterKeyId), wrappings.map(\.wrappedKey))
    }
}

private struct SelectDataKeys: PostgresStatement {
    static let sql = """
        SELECT id, purpose, replaces, state, active_from, uses, created_at
        FROM data_key ORDER BY id
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> DataKeyRecord {
        DataKeyRecord(
            id: try row.decode(0),
            purpose: try row.decode(1),
            replaces: try row.decode(2),
            state: try row.decode(3),
            activeFrom: try row.decode(4),
            uses: try row.decode(5),
            createdAt: try row.decode(6))
    }
}

private struct AddUses: PostgresCommand {
    let id: Int32
    let count: Int64

    static let sql = "UPDATE data_key SET uses = uses + $2 WHERE id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, count)
    }
}

private struct SetDataKey: PostgresCommand {
    let id: Int32
    let state: DataKeyState

    static let sql = """
        UPDATE data_key SET state = $2
        WHERE id = $1 AND state <> 'DESTROYED' AND EXISTS (SELECT FROM data_key AS next WHERE next.replaces = $1)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, state)
    }
}

private struct DeleteWrappings: PostgresCommand {
    let id: Int32

    static let sql = """
        DELETE FROM data_key_wrapping
        WHERE data_key_id = $1 AND EXISTS (SELECT FROM data_key WHERE data_key.id = $1 AND state = 'DESTROYED')
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}
