package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Registers a key.
    ///
    /// - Returns: false if any bank has a key with that name.
    package func insertIssuerKey(_ key: IssuerKeyRecord) async throws(StoreError) -> Bool {
        try await statements.execute(InsertIssuerKey(key: key)) == 1
    }

    /// The keys of these names, of any bank.
    package func issuerKeys(keyIds: [String]) async throws(StoreError) -> [IssuerKeyRecord] {
        try await statements.execute(SelectIssuerKeys(keyIds: keyIds))
    }

    /// A bank's keys, by name.
    package func issuerKeys(bankId: Identifier) async throws(StoreError) -> [IssuerKeyRecord] {
        try await statements.execute(SelectIssuerKeysOfBank(bankId: bankId))
    }

    /// Enables or disables a bank's key.
    ///
    /// - Returns: false if the bank has no key with that name.
    package func setIssuerKey(
        bankId: Identifier, keyId: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(UpdateIssuerKey(bankId: bankId, keyId: keyId, status: status)) == 1
    }

    /// Accepts a call that was verified with a key: spends the signature's nonce, and reads the bank.
    package func acceptCall(
        signedWith key: IssuerKeyRecord, nonce: SpentDigest, expiresAt: Timestamp, now: Timestamp
    ) async throws(StoreError) -> CallAcceptance {
        let statement = AcceptCall(key: key, nonce: nonce, expiresAt: expiresAt, now: now)
        return try await statements.execute(statement).first ?? .keyChanged
    }
}

private struct InsertIssuerKey: PostgresCommand {
    let key: IssuerKeyRecord

    static let sql = """
        WITH new_key AS (
            INSERT INTO issuer_key (key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at)
            SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM issuer_key_owner WHERE key_id = $1)
            RETURNING key_id, bank_id
        )
        INSERT INTO issuer_key_owner (key_id, bank_id) SELECT key_id, bank_id FROM new_key
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            key.keyId, key.bankId, key.algorithm, key.publicKey, key.sealedSecret, key.status, key.createdAt)
    }
}

private let issuerKeyColumns = "key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at"

private struct SelectIssuerKeys: PostgresStatement {
    typealias Row = IssuerKeyRecord

    let keyIds: [String]

    static let sql = """
        SELECT \(issuerKeyColumns) FROM issuer_key JOIN issuer_key_owner USING (bank_id, key_id)
        WHERE key_id = ANY ($1)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyIds)
    }
}

private struct SelectIssuerKeysOfBank: PostgresStatement {
    typealias Row = IssuerKeyRecord

    let bankId: Identifier

    static let sql = "SELECT \(issuerKeyColumns) FROM issuer_key WHERE bank_id = $1 ORDER BY key_id"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

private struct UpdateIssuerKey: PostgresCommand {
    let bankId: Identifier
    let keyId: String
    let status: Activity

    static let sql = "UPDATE issuer_key SET status = $3 WHERE bank_id = $1 AND key_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, keyId, status)
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
        SELECT EXISTS (SELECT FROM valid), EXISTS (SELECT FROM spent), \(IssuerBank.columns(now: "$7"))
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
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            keyId: try row.decode(0), bankId: try row.decode(1), algorithm: try row.decode(2),
            publicKey: try row.decode(3), sealedSecret: try row.decode(4), status: try row.decode(5),
            createdAt: try row.decode(6))
    }
}
