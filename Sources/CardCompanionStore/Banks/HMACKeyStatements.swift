internal import PostgresLibPQ

/// A key that a bank's back-end makes its hashMac with.
package struct HMACKeyRecord: Sendable {
    package let label: String
    /// The key check value: six hex digits.
    package let kcv: String
    package let sealedKey: [UInt8]
    package let status: Activity
    package let createdAt: Timestamp
}

extension Store {
    /// Adds a key to a bank.
    ///
    /// - Returns: false if the bank already has a key with that label.
    package func insertHMACKey(
        bankId: Identifier, label: String, kcv: String, sealedKey: [UInt8], now: Timestamp
    ) async throws(StoreError) -> Bool {
        let statement = InsertHMACKey(bankId: bankId, label: label, kcv: kcv, sealedKey: sealedKey, now: now)
        return try await statements.execute(statement) == 1
    }

    /// A bank's keys, the newest first.
    package func hmacKeys(bankId: Identifier) async throws(StoreError) -> [HMACKeyRecord] {
        try await statements.execute(SelectHMACKeys(bankId: bankId))
    }

    /// Enables or disables a key.
    ///
    /// - Returns: false if the bank has no key with that label.
    package func setHMACKey(
        bankId: Identifier, label: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(UpdateHMACKey(bankId: bankId, label: label, status: status)) == 1
    }
}

private struct InsertHMACKey: PostgresCommand {
    let bankId: Identifier
    let label: String
    let kcv: String
    let sealedKey: [UInt8]
    let now: Timestamp

    static let sql = """
        INSERT INTO hmac_key (bank_id, label, kcv, sealed_key, status, created_at)
        VALUES ($1, $2, $3, $4, 'ACTIVE', $5)
        ON CONFLICT (bank_id, label) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, kcv, sealedKey, now)
    }
}

struct SelectHMACKeys: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT label, kcv, sealed_key, status, created_at FROM hmac_key
        WHERE bank_id = $1 ORDER BY created_at DESC, label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> HMACKeyRecord {
        HMACKeyRecord(
            label: try row.decode(0),
            kcv: try row.decode(1),
            sealedKey: try row.decode(2),
            status: try row.decode(3),
            createdAt: try row.decode(4))
    }
}

private struct UpdateHMACKey: PostgresCommand {
    let bankId: Identifier
    let label: String
    let status: Activity

    static let sql = "UPDATE hmac_key SET status = $3 WHERE bank_id = $1 AND label = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, status)
    }
}
