public import PostgresLibPQ

/// What a data key is for.
public enum DataKeyPurpose: String, StoredEnumeration, CaseIterable {
    /// AES-256-GCM over what is secret in a row.
    case seal
    /// HMAC-SHA-256 over authentication codes and tokens.
    case authenticate
}

/// A data key, wrapped by the master key in the vault.
public struct DataKeyRecord: Sendable {
    /// What values name it by.
    public let id: Int32
    /// What it is for.
    public let purpose: DataKeyPurpose
    /// The key, wrapped.
    public let wrappedKey: [UInt8]
    /// Which master key wrapped it.
    public let masterKeyId: String
    /// Whether new values are made with it.
    public let isActive: Bool
}

extension Store {
    /// Adds the active key of a purpose, unless another server was faster.
    public func insertDataKey(
        purpose: DataKeyPurpose, wrappedKey: [UInt8], masterKeyId: String, now: Timestamp
    ) async throws(PostgresError) {
        _ = try await client.execute(
            InsertDataKey(purpose: purpose, wrappedKey: wrappedKey, masterKeyId: masterKeyId, now: now))
    }

    /// All data keys.
    public func dataKeys() async throws(PostgresError) -> [DataKeyRecord] {
        try await client.execute(SelectDataKeys())
    }
}

private struct InsertDataKey: PostgresStatement {
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
        parameters.append(purpose.rawValue)
        parameters.append(wrappedKey)
        parameters.append(masterKeyId)
        parameters.append(now)
    }
}

private struct SelectDataKeys: PostgresStatement {
    static let sql = "SELECT id, purpose, wrapped_key, master_key_id, status = 'ACTIVE' FROM data_key ORDER BY id"

    func bind(_ parameters: inout PostgresParameters) {}

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DataKeyRecord {
        DataKeyRecord(
            id: try row.decode(0, as: Int32.self),
            purpose: try row.decode(1),
            wrappedKey: try row.decode(2, as: [UInt8].self),
            masterKeyId: try row.decode(3, as: String.self),
            isActive: try row.decode(4, as: Bool.self))
    }
}
