internal import PostgresLibPQ

/// A data key, wrapped by the master key in the vault.
package struct DataKeyRecord: Sendable {
    /// Every value that was made with the key contains it.
    package let id: Int32
    package let purpose: DataKeyPurpose
    /// The key before this one; nil for the first one of its purpose.
    package let replaces: Int32?
    /// Nil if the key is retired.
    package let wrappedKey: [UInt8]?
    package let masterKeyId: String
    /// When servers begin to make new values with it.
    package let activeFrom: Timestamp
    /// How many values were sealed with it, as far as servers have reported it.
    package let uses: Int64
    package let createdAt: Timestamp
}

extension Store {
    /// Adds a key of a purpose, as the first one or as the successor of another one.
    ///
    /// - Returns: false if another server was faster.
    package func insertDataKey(
        purpose: DataKeyPurpose, replacing replaced: Int32?, wrappedKey: [UInt8], masterKeyId: String,
        activeFrom: Timestamp, now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            InsertDataKey(
                purpose: purpose, replaced: replaced, wrappedKey: wrappedKey, masterKeyId: masterKeyId,
                activeFrom: activeFrom, now: now)) == 1
    }

    /// All data keys, in the order in which they were added.
    package func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        try await statements.execute(SelectDataKeys())
    }

    /// Counts values that a server has sealed with a key.
    package func addUses(_ count: Int64, ofDataKey id: Int32) async throws(StoreError) {
        _ = try await statements.execute(AddUses(id: id, count: count))
    }

    /// Erases a key that has a successor. No value may need it any more.
    ///
    /// - Returns: false if there is no such key, or if it is retired.
    package func retireDataKey(id: Int32) async throws(StoreError) -> Bool {
        try await statements.execute(RetireDataKey(id: id)) == 1
    }
}

private struct InsertDataKey: PostgresCommand {
    let purpose: DataKeyPurpose
    let replaced: Int32?
    let wrappedKey: [UInt8]
    let masterKeyId: String
    let activeFrom: Timestamp
    let now: Timestamp

    static let sql = """
        INSERT INTO data_key (purpose, replaces, wrapped_key, master_key_id, active_from, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (purpose, coalesce(replaces, 0)) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(purpose, replaced, wrappedKey, masterKeyId, activeFrom, now)
    }
}

private struct SelectDataKeys: PostgresStatement {
    static let sql = """
        SELECT id, purpose, replaces, wrapped_key, master_key_id, active_from, uses, created_at
        FROM data_key ORDER BY id
        """

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DataKeyRecord {
        DataKeyRecord(
            id: try row.decode(0),
            purpose: try row.decode(1),
            replaces: try row.decode(2),
            wrappedKey: try row.decode(3),
            masterKeyId: try row.decode(4),
            activeFrom: try row.decode(5),
            uses: try row.decode(6),
            createdAt: try row.decode(7))
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

private struct RetireDataKey: PostgresCommand {
    let id: Int32

    static let sql = """
        UPDATE data_key SET wrapped_key = NULL
        WHERE id = $1 AND wrapped_key IS NOT NULL AND EXISTS (SELECT FROM data_key AS next WHERE next.replaces = $1)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}
