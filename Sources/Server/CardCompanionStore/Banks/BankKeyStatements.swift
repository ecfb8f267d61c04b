package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a key for PIN blocks or key blocks. If it was imported in components, they are erased.
    package func insertBankKey(
        _ key: NewBankKey, _ identity: NewKeyIdentity, now: Timestamp
    ) async throws(StoreError) -> NewKeyOutcome {
        let (count, _) = try await statements.batch(
            InsertBankKey(key: key, identity: identity, now: now), DeleteFinishedImport(identity: identity))
        return try await outcome(inserted: count, identity)
    }

    /// How an insertion of that many keys ended.
    func outcome(inserted count: Int, _ identity: NewKeyIdentity) async throws(StoreError) -> NewKeyOutcome {
        if count == 1 { return .added }
        return try await hasKey(bankId: identity.bankId, label: identity.label) ? .labelTaken : .keyTaken
    }

    /// Whether a bank has a key of any kind with a label.
    package func hasKey(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await !statements.execute(SelectLabel(bankId: bankId, label: label)).isEmpty
    }

    /// Whether this bank or another one has a key with one of the MACs.
    package func hasKey(withMACs macs: [[UInt8]]) async throws(StoreError) -> Bool {
        try await !statements.execute(SelectIdentity(macs: macs)).isEmpty
    }

    /// A bank's key for PIN blocks or key blocks; nil if there is none with that label.
    package func bankKey(bankId: Identifier, label: String) async throws(StoreError) -> BankKeyRecord? {
        try await statements.execute(SelectBankKey(bankId: bankId, label: label)).first
    }

    /// A bank's keys for PIN blocks and key blocks, by label.
    package func bankKeys(bankId: Identifier) async throws(StoreError) -> [BankKeyRecord] {
        try await statements.execute(SelectBankKeys(bankId: bankId))
    }

    /// The key that the bank's setting for defined PINs names; nil if there is none.
    package func definedPINKey(of bank: BankRecord) async throws(StoreError) -> BankKeyRecord? {
        guard let label = bank.settings.definedPINKey else { return nil }
        return try await bankKey(bankId: bank.id, label: label)
    }

    /// A bank's keys of all kinds, the newest first.
    package func listedKeys(bankId: Identifier) async throws(StoreError) -> [ListedKey] {
        try await statements.execute(SelectListedKeys(bankId: bankId))
    }

    /// Enables or disables a key of any kind.
    ///
    /// - Returns: false if the bank has no key with that label.
    package func setKey(bankId: Identifier, label: String, status: Activity) async throws(StoreError) -> Bool {
        let (hmac, other) = try await statements.batch(
            UpdateKeyStatus<HMACKeyTable>(bankId: bankId, label: label, status: status),
            UpdateKeyStatus<BankKeyTable>(bankId: bankId, label: label, status: status))
        return hmac + other == 1
    }

    /// Erases a disabled key of any kind. The same key can be imported again.
    ///
    /// - Returns: false if the bank has no disabled key with that label.
    package func deleteKey(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await statements.execute(DeleteKey(bankId: bankId, label: label)) == 1
    }
}

// MARK: - Identities

extension Store {
    /// Keys of all kinds whose MAC was made with another data key than `dataKeyId`.
    package func keys(
        withMACNotUnder dataKeyId: Int32, limit: Int
    ) async throws(StoreError) -> [OutdatedIdentity] {
        try await statements.execute(SelectOutdatedIdentities(dataKeyId: dataKeyId, limit: Int32(clamping: limit)))
    }

    /// Replaces the MAC of a key.
    package func replaceKeyMAC(_ old: [UInt8], by new: [UInt8]) async throws(StoreError) {
        _ = try await statements.execute(UpdateMAC(old: old, new: new))
    }
}

private struct SelectOutdatedIdentities: PostgresStatement {
    let dataKeyId: Int32
    let limit: Int32

    static let sql = """
        SELECT bank_id, label, coalesce(bank_key.algorithm, 'hmac'), coalesce(bank_key.sealed_key, hmac_key.sealed_key),
            key_mac
        FROM key_identity LEFT JOIN hmac_key USING (bank_id, label) LEFT JOIN bank_key USING (bank_id, label)
        WHERE substring(key_mac FOR 4) <> int4send($1) LIMIT $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(dataKeyId, limit)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> OutdatedIdentity {
        OutdatedIdentity(
            bankId: try row.decode(0), label: try row.decode(1), algorithm: try row.decode(2),
            sealedKey: try row.decode(3), mac: try row.decode(4))
    }
}

private struct UpdateMAC: PostgresCommand {
    let old: [UInt8]
    let new: [UInt8]

    static let sql = "UPDATE key_identity SET key_mac = $2 WHERE key_mac = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(old, new)
    }
}

private struct SelectLabel: PostgresStatement {
    typealias Row = String

    let bankId: Identifier
    let label: String

    static let sql = "SELECT label FROM key_identity WHERE bank_id = $1 AND label = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }
}

private struct SelectIdentity: PostgresStatement {
    typealias Row = String

    let macs: [[UInt8]]

    static let sql = "SELECT label FROM key_identity WHERE key_mac = ANY ($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(macs)
    }
}

// MARK: - Keys

private struct InsertBankKey: PostgresCommand {
    let key: NewBankKey
    let identity: NewKeyIdentity
    let now: Timestamp

    static let sql = """
        WITH new_identity AS (
            INSERT INTO key_identity (bank_id, label, key_mac)
            SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
            ON CONFLICT DO NOTHING
            RETURNING bank_id, label
        )
        INSERT INTO bank_key (bank_id, label, usage, algorithm, direction, kcv, sealed_key, status, created_at)
        SELECT bank_id, label, $5, $6, $7, $8, $9, 'ACTIVE', $10 FROM new_identity
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            identity.bankId, identity.label, identity.mac, identity.possibleMACs, key.usage, key.algorithm,
            key.direction, key.kcv, key.sealedKey, now)
    }
}

/// Runs after an insertion in the same transaction, and works only if the key is there now.
struct DeleteFinishedImport: PostgresCommand {
    let identity: NewKeyIdentity

    static let sql = """
        DELETE FROM key_import WHERE bank_id = $1 AND label = $2
            AND EXISTS (SELECT FROM key_identity WHERE bank_id = $1 AND label = $2 AND key_mac = $3)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(identity.bankId, identity.label, identity.mac)
    }
}

private let bankKeyColumns = "label, usage, algorithm, direction, sealed_key, bank_key.status"

private struct SelectBankKey: PostgresStatement {
    typealias Row = BankKeyRecord

    let bankId: Identifier
    let label: String

    static let sql = "SELECT \(bankKeyColumns) FROM bank_key WHERE bank_id = $1 AND label = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }
}

struct SelectBankKeys: PostgresStatement {
    typealias Row = BankKeyRecord

    let bankId: Identifier

    static let sql = "SELECT \(bankKeyColumns) FROM bank_key WHERE bank_id = $1 ORDER BY label"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

extension BankKeyRecord: PostgresRowDecodable {
    /// In the order of `bankKeyColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.decode(0), usage: try row.decode(1), algorithm: try row.decode(2),
            direction: try row.decode(3), sealedKey: try row.decode(4), status: try row.decode(5))
    }
}

private struct SelectListedKeys: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT label, kcv, usage, 'hmac', NULL, status, created_at FROM hmac_key WHERE bank_id = $1
        UNION ALL
        SELECT label, kcv, usage, algorithm, direction, status, created_at FROM bank_key WHERE bank_id = $1
        ORDER BY created_at DESC, label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ListedKey {
        ListedKey(
            label: try row.decode(0), kcv: try row.decode(1), usage: try row.decode(2), algorithm: try row.decode(3),
            direction: try row.decode(4), status: try row.decode(5), createdAt: try row.decode(6))
    }
}

private protocol KeyTable: Sendable {
    static var name: String { get }
}

private enum HMACKeyTable: KeyTable { static let name = "hmac_key" }
private enum BankKeyTable: KeyTable { static let name = "bank_key" }

private struct UpdateKeyStatus<Table: KeyTable>: PostgresCommand {
    let bankId: Identifier
    let label: String
    let status: Activity

    static var sql: String { "UPDATE \(Table.name) SET status = $3 WHERE bank_id = $1 AND label = $2" }

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, status)
    }
}

private struct DeleteKey: PostgresCommand {
    let bankId: Identifier
    let label: String

    // The key is erased with its identity.
    static let sql = """
        DELETE FROM key_identity WHERE bank_id = $1 AND label = $2 AND (
            EXISTS (SELECT FROM hmac_key WHERE bank_id = $1 AND label = $2 AND status = 'DISABLED')
            OR EXISTS (SELECT FROM bank_key WHERE bank_id = $1 AND label = $2 AND status = 'DISABLED'))
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }
}
