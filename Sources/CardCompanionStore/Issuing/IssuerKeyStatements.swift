public import PostgresLibPQ

/// A key that a bank's back-end signs its calls with.
public struct IssuerKeyRecord: Sendable {
    /// `keyid`. It is given once among all banks.
    public let keyId: String
    /// The bank that signs with it.
    public let bankId: String
    /// The algorithm, as RFC 9421 names it.
    public let algorithm: String
    /// SubjectPublicKeyInfo; nil for a shared secret.
    public let publicKey: [UInt8]?
    /// The shared secret, sealed; nil for a public key.
    public let sealedSecret: [UInt8]?
    /// Whether it serves.
    public let status: Activity
    /// When it was registered.
    public let createdAt: Timestamp

    /// A key to be kept.
    public init(
        keyId: String, bankId: String, algorithm: String, publicKey: [UInt8]?, sealedSecret: [UInt8]?,
        status: Activity, createdAt: Timestamp
    ) {
        self.keyId = keyId
        self.bankId = bankId
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.sealedSecret = sealedSecret
        self.status = status
        self.createdAt = createdAt
    }
}

extension Store {
    /// Registers a key.
    ///
    /// - Returns: false where there is one of that name already, whichever bank's.
    public func insertIssuerKey(_ key: IssuerKeyRecord) async throws(PostgresError) -> Bool {
        try await !client.execute(InsertIssuerKey(key: key)).isEmpty
    }

    /// The keys of these names.
    public func issuerKeys(keyIds: [String]) async throws(PostgresError) -> [IssuerKeyRecord] {
        try await client.execute(SelectIssuerKeys(keyIds: keyIds))
    }

    /// A bank's keys, by name.
    public func issuerKeys(bankId: String) async throws(PostgresError) -> [IssuerKeyRecord] {
        try await client.execute(SelectIssuerKeysOfBank(bankId: bankId))
    }

    /// Switches a bank's key on or off.
    ///
    /// - Returns: false where the bank has none of that name.
    public func setIssuerKey(
        bankId: String, keyId: String, status: Activity
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(UpdateIssuerKey(bankId: bankId, keyId: keyId, status: status)).isEmpty
    }

    /// Spends a signature's nonce.
    ///
    /// - Returns: false where it is spent already.
    public func spendNonce(
        _ nonce: String, keyId: String, expiresAt: Timestamp
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(InsertNonce(keyId: keyId, nonce: nonce, expiresAt: expiresAt)).isEmpty
    }
}

private struct InsertIssuerKey: PostgresStatement {
    typealias Row = String

    let key: IssuerKeyRecord

    static let sql = """
        INSERT INTO issuer_key (key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (key_id) DO NOTHING
        RETURNING key_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(key.keyId)
        parameters.append(key.bankId)
        parameters.append(key.algorithm)
        parameters.append(key.publicKey)
        parameters.append(key.sealedSecret)
        parameters.append(key.status.rawValue)
        parameters.append(key.createdAt)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private let issuerKeyColumns = "key_id, bank_id, algorithm, public_key, sealed_secret, status, created_at"

private struct SelectIssuerKeys: PostgresStatement {
    let keyIds: [String]

    static let sql = "SELECT \(issuerKeyColumns) FROM issuer_key WHERE key_id = ANY ($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyIds)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> IssuerKeyRecord {
        try IssuerKeyRecord(row)
    }
}

private struct SelectIssuerKeysOfBank: PostgresStatement {
    let bankId: String

    static let sql = "SELECT \(issuerKeyColumns) FROM issuer_key WHERE bank_id = $1 ORDER BY key_id"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> IssuerKeyRecord {
        try IssuerKeyRecord(row)
    }
}

private struct UpdateIssuerKey: PostgresStatement {
    typealias Row = String

    let bankId: String
    let keyId: String
    let status: Activity

    static let sql = "UPDATE issuer_key SET status = $3 WHERE bank_id = $1 AND key_id = $2 RETURNING key_id"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(keyId)
        parameters.append(status.rawValue)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct InsertNonce: PostgresStatement {
    typealias Row = String

    let keyId: String
    let nonce: String
    let expiresAt: Timestamp

    static let sql = """
        INSERT INTO spent_nonce (key_id, nonce, expires_at) VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING
        RETURNING nonce
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId)
        parameters.append(nonce)
        parameters.append(expiresAt)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

extension IssuerKeyRecord {
    fileprivate init(_ row: borrowing PostgresRow) throws(PostgresError) {
        keyId = try row.decode(0, as: String.self)
        bankId = try row.decode(1, as: String.self)
        algorithm = try row.decode(2, as: String.self)
        publicKey = try row.decode(3, as: [UInt8]?.self)
        sealedSecret = try row.decode(4, as: [UInt8]?.self)
        status = try row.decode(5)
        createdAt = try row.decode(6, as: Timestamp.self)
    }
}
