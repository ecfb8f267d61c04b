public import PostgresLibPQ

/// A key that a bank's back-end makes its hashMac with.
public struct HMACKeyRecord: Sendable {
    /// The operator's name for it.
    public let label: String
    /// The key check value: six hex digits.
    public let kcv: String
    /// The key, sealed.
    public let sealedKey: [UInt8]
    /// Whether it serves.
    public let status: Activity
    /// When it was imported.
    public let createdAt: Timestamp
}

extension Store {
    /// Adds a key to a bank.
    ///
    /// - Returns: false where the bank has one of that label already.
    public func insertHMACKey(
        bankId: String, label: String, kcv: String, sealedKey: [UInt8], now: Timestamp
    ) async throws(PostgresError) -> Bool {
        let statement = InsertHMACKey(bankId: bankId, label: label, kcv: kcv, sealedKey: sealedKey, now: now)
        return try await !client.execute(statement).isEmpty
    }

    /// A bank's keys, the newest first.
    public func hmacKeys(bankId: String) async throws(PostgresError) -> [HMACKeyRecord] {
        try await client.execute(SelectHMACKeys(bankId: bankId))
    }

    /// Switches a key on or off.
    ///
    /// - Returns: false where there is none of that label.
    public func setHMACKey(
        bankId: String, label: String, status: Activity
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(UpdateHMACKey(bankId: bankId, label: label, status: status)).isEmpty
    }
}

private struct InsertHMACKey: PostgresStatement {
    typealias Row = String

    let bankId: String
    let label: String
    let kcv: String
    let sealedKey: [UInt8]
    let now: Timestamp

    static let sql = """
        INSERT INTO hmac_key (bank_id, label, kcv, sealed_key, status, created_at)
        VALUES ($1, $2, $3, $4, 'ACTIVE', $5)
        ON CONFLICT (bank_id, label) DO NOTHING
        RETURNING label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(label)
        parameters.append(kcv)
        parameters.append(sealedKey)
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

struct SelectHMACKeys: PostgresStatement {
    let bankId: String

    static let sql = """
        SELECT label, kcv, sealed_key, status, created_at FROM hmac_key
        WHERE bank_id = $1 ORDER BY created_at DESC, label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> HMACKeyRecord {
        HMACKeyRecord(
            label: try row.decode(0, as: String.self),
            kcv: try row.decode(1, as: String.self),
            sealedKey: try row.decode(2, as: [UInt8].self),
            status: try row.decode(3),
            createdAt: try row.decode(4, as: Timestamp.self))
    }
}

private struct UpdateHMACKey: PostgresStatement {
    typealias Row = String

    let bankId: String
    let label: String
    let status: Activity

    static let sql = "UPDATE hmac_key SET status = $3 WHERE bank_id = $1 AND label = $2 RETURNING label"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(label)
        parameters.append(status.rawValue)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}
