internal import PostgresLibPQ

/// The kinds of key that the server publishes.
package enum ServerKeyKind: String, StoredEnumeration, CaseIterable {
    /// RSA-OAEP-256.
    case rsa = "RSA"
    /// ECDH-ES+A256KW on P-256.
    case ec = "EC"
    /// ECDSA on P-256, for what the server signs.
    case signing = "SIGNING"
}

/// Where a key is in its life.
package enum ServerKeyStatus: String, StoredEnumeration {
    /// New values are to be sealed to it.
    case active = "ACTIVE"
    /// It is still published and still opens.
    case retiring = "RETIRING"
    /// Only its name is left.
    case retired = "RETIRED"
}

/// One of the server's own key pairs, sealed.
package struct ServerKeyRecord: Sendable {
    /// The `kid` that sealed values name it by: its RFC 7638 thumbprint.
    package let keyId: String
    /// What it is.
    package let kind: ServerKeyKind
    /// Where it is in its life.
    package let status: ServerKeyStatus
    /// PKCS#8, sealed; nil where the key is retired.
    package let sealedKey: [UInt8]?
    /// When it was made.
    package let createdAt: Timestamp
    /// When another one took its place.
    package let demotedAt: Timestamp?
}

extension Store {
    /// Adds the active key of a kind, unless another server was faster.
    package func insertServerKey(
        keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(InsertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: now))
    }

    /// All of the server's keys: of each kind the active one first, then the newest.
    package func serverKeys() async throws(StoreError) -> [ServerKeyRecord] {
        try await statements.execute(SelectServerKeys())
    }

    /// The key of that name.
    package func serverKey(keyId: String) async throws(StoreError) -> ServerKeyRecord? {
        try await statements.execute(SelectServerKey(keyId: keyId)).first
    }

    /// Makes a new key the active one of its kind; the one before it retires.
    ///
    /// - Returns: false where another one has just become it.
    package func rotateServerKey(
        keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], now: Timestamp
    ) async throws(StoreError) -> Bool {
        let (_, inserted) = try await statements.batch(
            DemoteServerKey(kind: kind, now: now),
            InsertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: now))
        return inserted == 1
    }

    /// Erases a key that is retiring.
    ///
    /// - Returns: false where there is no such one.
    package func retireServerKey(keyId: String) async throws(StoreError) -> Bool {
        try await statements.execute(RetireServerKey(keyId: keyId)) == 1
    }
}

private struct InsertServerKey: PostgresCommand {
    let keyId: String
    let kind: ServerKeyKind
    let sealedKey: [UInt8]
    let now: Timestamp

    static let sql = """
        INSERT INTO server_key (key_id, kind, sealed_key, status, created_at)
        VALUES ($1, $2, $3, 'ACTIVE', $4)
        ON CONFLICT (kind) WHERE status = 'ACTIVE' DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId, kind, sealedKey, now)
    }
}

private let serverKeyColumns = "key_id, kind, status, sealed_key, created_at, demoted_at"

private struct SelectServerKeys: PostgresStatement {
    static let sql = "SELECT \(serverKeyColumns) FROM server_key ORDER BY kind, status, created_at DESC"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ServerKeyRecord {
        try ServerKeyRecord(row)
    }
}

private struct SelectServerKey: PostgresStatement {
    let keyId: String

    static let sql = "SELECT \(serverKeyColumns) FROM server_key WHERE key_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ServerKeyRecord {
        try ServerKeyRecord(row)
    }
}

extension ServerKeyRecord {
    /// In the order of `serverKeyColumns`.
    fileprivate init(_ row: borrowing PostgresRow) throws(PostgresError) {
        keyId = try row.decode(0)
        kind = try row.decode(1)
        status = try row.decode(2)
        sealedKey = try row.decode(3)
        createdAt = try row.decode(4)
        demotedAt = try row.decode(5)
    }
}

private struct DemoteServerKey: PostgresCommand {
    let kind: ServerKeyKind
    let now: Timestamp

    static let sql = "UPDATE server_key SET status = 'RETIRING', demoted_at = $2 WHERE kind = $1 AND status = 'ACTIVE'"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(kind, now)
    }
}

private struct RetireServerKey: PostgresCommand {
    let keyId: String

    static let sql = """
        UPDATE server_key SET status = 'RETIRED', sealed_key = NULL
        WHERE key_id = $1 AND status = 'RETIRING'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(keyId)
    }
}
