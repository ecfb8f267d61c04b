package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Registers a key.
    ///
    /// - Returns: false if any bank has a key with that name.
    package func insertIssuerKey(_ key: IssuerKeyRecord) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            WITH new_key AS (
                INSERT INTO issuer_key (\(sql: IssuerKeyRecord.columns))
                SELECT \(key.keyId, key.bankId, key.algorithm, key.publicKey, key.sealedSecret, key.status),
                    \(key.createdAt)
                WHERE NOT EXISTS (SELECT FROM issuer_key_owner WHERE key_id = \(key.keyId))
                RETURNING key_id, bank_id
            )
            INSERT INTO issuer_key_owner (key_id, bank_id) SELECT key_id, bank_id FROM new_key
            """) == 1
    }

    /// The keys of these names, of any bank.
    package func issuerKeys(keyIds: [String]) async throws(StoreError) -> [IssuerKeyRecord] {
        try await statements.execute(SelectIssuerKeys(keyIds: keyIds))
    }

    /// A bank's keys, by name.
    package func issuerKeys(bankId: Identifier) async throws(StoreError) -> [IssuerKeyRecord] {
        try await statements.rows(
            "SELECT \(sql: IssuerKeyRecord.columns) FROM issuer_key WHERE bank_id = \(bankId) ORDER BY key_id")
    }

    /// Enables or disables a bank's key.
    ///
    /// - Returns: false if the bank has no key with that name.
    package func setIssuerKey(
        bankId: Identifier, keyId: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            "UPDATE issuer_key SET status = \(status) WHERE bank_id = \(bankId) AND key_id = \(keyId)") == 1
    }

    /// Accepts a call that was verified with a key: spends the signature's nonce, and reads what may have changed of the bank.
    package func acceptCall(
        signedWith key: IssuerKeyRecord, nonce: SpentDigest, expiresAt: Timestamp, now: Timestamp
    ) async throws(StoreError) -> CallAcceptance {
        let statement = AcceptCall(key: key, nonce: nonce, expiresAt: expiresAt, now: now)
        return try await statements.execute(statement).first ?? .keyChanged
    }
}

private struct SelectIssuerKeys: PostgresStatement {
    typealias Row = IssuerKeyRecord

    let keyIds: [String]

    static let sql = """
        SELECT \(IssuerKeyRecord.columns) FROM issuer_key JOIN issuer_key_owner USING (bank_id, key_id)
        WHERE key_id = ANY ($1)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyIds)
    }
}

/// One statement, because a call has its own work to do in the database too.
private struct AcceptCall: PostgresStatement {
    typealias Row = CallAcceptance

    let key: IssuerKeyRecord
    let nonce: SpentDigest
    let expiresAt: Timestamp
    let now: Timestamp

    static let sql = """
        WITH valid AS (
            SELECT FROM issuer_key
            WHERE bank_id = $1 AND key_id = $2 AND algorithm = $3 AND coalesce(public_key, sealed_secret) = $4
                AND status = 'ACTIVE'
        ), spent AS (
            INSERT INTO spent_proof (bank_id, kind, digest, expires_at) SELECT $1, 'nonce', $5, $6 FROM valid
            ON CONFLICT DO NOTHING RETURNING digest
        )
        SELECT EXISTS (SELECT FROM valid), EXISTS (SELECT FROM spent), \(CallingBank.columns(now: "$7"))
        FROM bank WHERE bank_id = $1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            key.bankId, key.keyId, key.algorithm, key.publicKey ?? key.sealedSecret, nonce.bytes, expiresAt,
            now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> CallAcceptance {
        guard try row.next(as: Bool.self) else { return .keyChanged }
        guard try row.next(as: Bool.self) else { return .nonceSpent }
        return .accepted(try row.next())
    }
}

extension IssuerKeyRecord: PostgresRowDecodable {
    static let columns: SQLText = "key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            keyId: try row.next(), bankId: try row.next(), algorithm: try row.next(),
            publicKey: try row.next(), sealedSecret: try row.next(), status: try row.next(),
            createdAt: try row.next())
    }
}
