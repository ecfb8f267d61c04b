internal import PostgresLibPQ

/// A data key, wrapped by the master key in the vault.
package struct DataKeyRecord: Sendable {
    /// Every value that was made with the key contains it.
    package let id: Int32
    package let purpose: DataKeyPurpose
    package let wrappedKey: [UInt8]
    package let masterKeyId: String
    /// Whether new values are made with it.
    package let isActive: Bool
}

extension Store {
    /// Adds the active key of a purpose, unless another server was faster.
    package func insertDataKey(
        purpose: DataKeyPurpose, wrappedKey: [UInt8], masterKeyId: String, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            InsertDataKey(purpose: purpose, wrappedKey: wrappedKey, masterKeyId: masterKeyId, now: now))
    }

    package func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        try await statements.execute(SelectDataKeys())
    }
}

private struct InsertDataKey: PostgresCommand {
    let purpose: DataKeyPurpose
    let wrappedKey: [UInt8]
    let masterKeyId: String
    let now: Timestamp

    static let sql = """
        INSERT INTO data_key (purpose, wrapped_key, master_key_id, status, created_at)
        VALUES ($1, $2, $3, 'ACTIVE', $4)
        ON CONFLICT (purpose) WHERE status = 'ACTIVE' DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(purpose, wrappedKey, masterKeyId, now)
    }
}

private struct SelectDataKeys: PostgresStatement {
    static let sql = "SELECT id, purpose, wrapped_key, master_key_id, status = 'ACTIVE' FROM data_key ORDER BY id"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DataKeyRecord {
        DataKeyRecord(
            id: try row.decode(0),
            purpose: try row.decode(1),
            wrappedKey: try row.decode(2),
            masterKeyId: try row.decode(3),
            isActive: try row.decode(4))
    }
}
