public import PostgresLibPQ

/// The kinds of key that the server publishes for what is sealed to it.
public enum ServerKeyKind: String, StoredEnumeration, CaseIterable {
    /// RSA-OAEP-256.
    case rsa = "RSA"
    /// ECDH-ES+A256KW on P-256.
    case ec = "EC"
}

/// One of the server's own key pairs, sealed.
public struct ServerKeyRecord: Sendable {
    /// The `kid` that sealed values name it by: its RFC 7638 thumbprint.
    public let keyId: String
    /// What it is.
    public let kind: ServerKeyKind
    /// PKCS#8, sealed.
    public let sealedKey: [UInt8]
    /// When it was made.
    public let createdAt: Timestamp
}

extension Store {
    /// Adds the active key of a kind, unless another server was faster.
    public func insertServerKey(
        keyId: String, kind: ServerKeyKind, sealedKey: [UInt8], now: Timestamp
    ) async throws(PostgresError) {
        _ = try await client.execute(InsertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: now))
    }

    /// The server's keys that are not retired.
    public func serverKeys() async throws(PostgresError) -> [ServerKeyRecord] {
        try await client.execute(SelectServerKeys())
    }
}

private struct InsertServerKey: PostgresStatement {
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
        parameters.append(keyId)
        parameters.append(kind.rawValue)
        parameters.append(sealedKey)
        parameters.append(now)
    }
}

private struct SelectServerKeys: PostgresStatement {
    static let sql = """
        SELECT key_id, kind, sealed_key, created_at FROM server_key WHERE status = 'ACTIVE' ORDER BY kind, created_at
        """

    func bind(_ parameters: inout PostgresParameters) {}

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ServerKeyRecord {
        ServerKeyRecord(
            keyId: try row.decode(0, as: String.self),
            kind: try row.decode(1),
            sealedKey: try row.decode(2, as: [UInt8].self),
            createdAt: try row.decode(3, as: Timestamp.self))
    }
}
