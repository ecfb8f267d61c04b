package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a key for PIN blocks, key blocks or the issuer's host. If it was imported in components, they are erased.
    package func insertBankKey(
        _ key: NewBankKey, _ identity: NewKeyIdentity, now: Timestamp
    ) async throws(StoreError) -> NewKeyOutcome {
        let (count, _) = try await statements.batch(
            PostgresQuery(
                """
                WITH new_identity AS (
                    INSERT INTO key_identity (bank_id, label, key_mac)
                    SELECT \(identity.bankId, identity.label, identity.mac)
                    WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY (\(identity.possibleMACs)))
                    ON CONFLICT DO NOTHING
                    RETURNING bank_id, label
                )
                INSERT INTO bank_key (
                    bank_id, label, usage, algorithm, direction, rules, kcv, sealed_key, status, created_at)
                SELECT bank_id, label, \(key.usage, key.algorithm, key.direction, key.rules, key.kcv, key.sealedKey),
                    'ACTIVE', \(now)
                FROM new_identity
                """),
            Self.deleteFinishedImport(identity))
        return try await outcome(inserted: count, identity)
    }

    /// Runs after an insertion in the same transaction, and works only if the key is there now.
    static func deleteFinishedImport(_ identity: NewKeyIdentity) -> PostgresQuery {
        """
        DELETE FROM key_import WHERE bank_id = \(identity.bankId) AND label = \(identity.label) AND EXISTS (
            SELECT FROM key_identity
            WHERE bank_id = \(identity.bankId) AND label = \(identity.label) AND key_mac = \(identity.mac))
        """
    }

    /// How an insertion of that many keys ended.
    func outcome(inserted count: Int, _ identity: NewKeyIdentity) async throws(StoreError) -> NewKeyOutcome {
        if count == 1 { return .added }
        return try await hasKey(bankId: identity.bankId, label: identity.label) ? .labelTaken : .keyTaken
    }

    /// Whether a bank has a key of any kind with a label.
    package func hasKey(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await statements.row(
            "SELECT EXISTS (SELECT FROM key_identity WHERE bank_id = \(bankId) AND label = \(label))")
    }

    /// Whether this bank or another one has a key with one of the MACs.
    package func hasKey(withMACs macs: [[UInt8]]) async throws(StoreError) -> Bool {
        try await statements.row("SELECT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY (\(macs)))")
    }

    /// A bank's key that is not HMAC; nil if there is none with that label.
    package func bankKey(bankId: Identifier, label: String) async throws(StoreError) -> BankKeyRecord? {
        try await statements.firstRow(
            "SELECT \(sql: BankKeyRecord.columns) FROM bank_key WHERE bank_id = \(bankId) AND label = \(label)")
    }

    /// A bank's keys that are not HMAC, by label.
    package func bankKeys(bankId: Identifier) async throws(StoreError) -> [BankKeyRecord] {
        try await statements.rows(Self.bankKeysQuery(bankId: bankId))
    }

    static func bankKeysQuery(bankId: Identifier) -> PostgresQuery {
        "SELECT \(sql: BankKeyRecord.columns) FROM bank_key WHERE bank_id = \(bankId) ORDER BY label"
    }

    /// The key that the bank's setting for defined PINs names; nil if there is none.
    package func definedPINKey(of bank: BankRecord) async throws(StoreError) -> BankKeyRecord? {
        guard let label = bank.settings.definedPINKey else { return nil }
        return try await bankKey(bankId: bank.id, label: label)
    }

    /// A bank's keys of all kinds, the newest first.
    package func listedKeys(bankId: Identifier) async throws(StoreError) -> [ListedKey] {
        try await statements.rows(
            """
            SELECT label, kcv, usage, 'hmac', NULL, NULL, status, created_at FROM hmac_key WHERE bank_id = \(bankId)
            UNION ALL
            SELECT label, kcv, usage, algorithm, direction, rules, status, created_at FROM bank_key
            WHERE bank_id = \(bankId)
            ORDER BY created_at DESC, label
            """)
    }

    /// Enables or disables a key of any kind.
    ///
    /// - Returns: false if the bank has no key with that label.
    package func setKey(bankId: Identifier, label: String, status: Activity) async throws(StoreError) -> Bool {
        let (hmac, other) = try await statements.batch(
            PostgresQuery("UPDATE hmac_key SET status = \(status) WHERE bank_id = \(bankId) AND label = \(label)"),
            PostgresQuery("UPDATE bank_key SET status = \(status) WHERE bank_id = \(bankId) AND label = \(label)"))
        return hmac + other == 1
    }

    /// Erases a disabled key of any kind. The same key can be imported again.
    ///
    /// - Returns: false if the bank has no disabled key with that label.
    package func deleteKey(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        // The key is erased with its identity.
        try await statements.execute(
            """
            DELETE FROM key_identity WHERE bank_id = \(bankId) AND label = \(label) AND (
                EXISTS (SELECT FROM hmac_key WHERE bank_id = \(bankId) AND label = \(label) AND status = 'DISABLED')
                OR EXISTS (SELECT FROM bank_key WHERE bank_id = \(bankId) AND label = \(label) AND status = 'DISABLED'))
            """) == 1
    }
}

// MARK: - Identities

extension Store {
    /// Keys of all kinds whose MAC was made with another data key than `dataKeyId`.
    package func keys(
        withMACNotUnder dataKeyId: Int32, limit: Int
    ) async throws(StoreError) -> [OutdatedIdentity] {
        try await statements.rows(
            """
            SELECT bank_id, label, coalesce(bank_key.algorithm, 'hmac'),
                coalesce(bank_key.sealed_key, hmac_key.sealed_key), key_mac
            FROM key_identity LEFT JOIN hmac_key USING (bank_id, label) LEFT JOIN bank_key USING (bank_id, label)
            WHERE substring(key_mac FOR 4) <> int4send(\(dataKeyId)) LIMIT \(limit)
            """)
    }

    /// Replaces the MAC of a key.
    package func replaceKeyMAC(_ old: [UInt8], by new: [UInt8]) async throws(StoreError) {
        try await statements.execute("UPDATE key_identity SET key_mac = \(new) WHERE key_mac = \(old)")
    }
}

extension OutdatedIdentity: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.next(), label: try row.next(), algorithm: try row.next(), sealedKey: try row.next(),
            mac: try row.next())
    }
}

extension BankKeyRecord: PostgresRowDecodable {
    static let columns: SQLText = "label, usage, algorithm, direction, rules, sealed_key, status"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.next(), usage: try row.next(), algorithm: try row.next(),
            direction: try row.next(), rules: try row.next(), sealedKey: try row.next(), status: try row.next())
    }
}

extension ListedKey: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.next(), kcv: try row.next(), usage: try row.next(), algorithm: try row.next(),
            direction: try row.next(), rules: try row.next(), status: try row.next(), createdAt: try row.next())
    }
}
