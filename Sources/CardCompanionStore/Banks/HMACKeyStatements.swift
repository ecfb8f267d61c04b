internal import PostgresLibPQ

/// A key that a bank's back-end makes its hashMac with.
package struct HMACKeyRecord: Sendable {
    package let label: String
    /// The key check value: six hex digits.
    package let kcv: String
    package let usage: HMACKeyUsage
    package let sealedKey: [UInt8]
    package let status: Activity
    package let createdAt: Timestamp
}

/// A key to add to a bank.
package struct NewHMACKey: Sendable {
    package let label: String
    package let kcv: String
    package let usage: HMACKeyUsage
    package let sealedKey: [UInt8]
    /// The key's MAC, to find the same key again.
    package let mac: [UInt8]
    /// The key's MAC under each key that may have been used.
    package let possibleMACs: [[UInt8]]

    package init(
        label: String, kcv: String, usage: HMACKeyUsage, sealedKey: [UInt8], mac: [UInt8], possibleMACs: [[UInt8]]
    ) {
        self.label = label
        self.kcv = kcv
        self.usage = usage
        self.sealedKey = sealedKey
        self.mac = mac
        self.possibleMACs = possibleMACs
    }
}

/// How an import of an HMAC key ended.
package enum HMACKeyOutcome: Sendable {
    case added
    /// The bank already has a key with that label.
    case labelTaken
    /// This bank or another one already has the same key.
    case keyTaken
}

extension Store {
    /// Adds a key to a bank.
    package func insertHMACKey(
        _ key: NewHMACKey, bankId: Identifier, now: Timestamp
    ) async throws(StoreError) -> HMACKeyOutcome {
        let insert = InsertHMACKey(bankId: bankId, key: key, now: now)
        let count: Int
        do {
            count = try await statements.execute(insert)
        } catch .conflict {
            // An import of the same key at the same time was faster. The second attempt sees it.
            count = try await statements.execute(insert)
        }
        if count == 1 { return .added }
        let isLabelTaken = try await hmacKeys(bankId: bankId).contains { $0.label == key.label }
        return isLabelTaken ? .labelTaken : .keyTaken
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

    /// Erases a disabled key. The same key can be imported again.
    ///
    /// - Returns: false if the bank has no disabled key with that label.
    package func deleteHMACKey(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await statements.execute(DeleteHMACKey(bankId: bankId, label: label)) == 1
    }
}

extension Store {
    /// Keys whose MAC was made with another data key than `dataKeyId`: bank, key and MAC.
    package func hmacKeys(
        withMACNotUnder dataKeyId: Int32, limit: Int
    ) async throws(StoreError) -> [(bankId: Identifier, label: String, sealedKey: [UInt8], mac: [UInt8])] {
        try await statements.execute(SelectMACs(dataKeyId: dataKeyId, limit: Int32(clamping: limit)))
    }

    /// Replaces the MAC of a key.
    package func replaceHMACKeyMAC(_ old: [UInt8], by new: [UInt8]) async throws(StoreError) {
        _ = try await statements.execute(UpdateMAC(old: old, new: new))
    }
}

private struct SelectMACs: PostgresStatement {
    let dataKeyId: Int32
    let limit: Int32

    static let sql = """
        SELECT bank_id, label, sealed_key, key_mac FROM hmac_key_identity JOIN hmac_key USING (bank_id, label)
        WHERE substring(key_mac FOR 4) <> int4send($1) LIMIT $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(dataKeyId, limit)
    }

    static func decode(
        _ row: borrowing PostgresRow
    ) throws(PostgresError) -> (bankId: Identifier, label: String, sealedKey: [UInt8], mac: [UInt8]) {
        (try row.decode(0), try row.decode(1), try row.decode(2), try row.decode(3))
    }
}

private struct UpdateMAC: PostgresCommand {
    let old: [UInt8]
    let new: [UInt8]

    static let sql = "UPDATE hmac_key_identity SET key_mac = $2 WHERE key_mac = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(old, new)
    }
}

private struct DeleteHMACKey: PostgresCommand {
    let bankId: Identifier
    let label: String

    static let sql = "DELETE FROM hmac_key WHERE bank_id = $1 AND label = $2 AND status = 'DISABLED'"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }
}

private struct InsertHMACKey: PostgresCommand {
    let bankId: Identifier
    let key: NewHMACKey
    let now: Timestamp

    static let sql = """
        WITH new_key AS (
            INSERT INTO hmac_key (bank_id, label, kcv, usage, sealed_key, status, created_at)
            SELECT $1, $2, $3, $4, $5, 'ACTIVE', $8
            WHERE NOT EXISTS (SELECT FROM hmac_key_identity WHERE key_mac = ANY ($7))
            ON CONFLICT DO NOTHING
            RETURNING bank_id, label
        )
        INSERT INTO hmac_key_identity (key_mac, bank_id, label) SELECT $6, bank_id, label FROM new_key
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, key.label, key.kcv, key.usage, key.sealedKey, key.mac, key.possibleMACs, now)
    }
}

struct SelectHMACKeys: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT label, kcv, usage, sealed_key, status, created_at FROM hmac_key
        WHERE bank_id = $1 ORDER BY created_at DESC, label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> HMACKeyRecord {
        HMACKeyRecord(
            label: try row.decode(0),
            kcv: try row.decode(1),
            usage: try row.decode(2),
            sealedKey: try row.decode(3),
            status: try row.decode(4),
            createdAt: try row.decode(5))
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
