internal import PostgresLibPQ

/// The public half of a token's key that signs seals of the audit trail, sealed.
package struct SealKeyRecord: Sendable {
    /// The key's thumbprint (RFC 7638).
    package let keyId: String
    /// A DER SubjectPublicKeyInfo, sealed.
    package let sealedPublicKey: [UInt8]

    package init(keyId: String, sealedPublicKey: [UInt8]) {
        self.keyId = keyId
        self.sealedPublicKey = sealedPublicKey
    }
}

extension Store {
    package func sealKeys() async throws(StoreError) -> [SealKeyRecord] {
        try await statements.execute(SelectSealKeys())
    }

    /// Adds a key, unless it is there.
    package func insertSealKey(_ key: SealKeyRecord, now: Timestamp) async throws(StoreError) {
        _ = try await statements.execute(InsertSealKey(key: key, now: now))
    }
}

private struct SelectSealKeys: PostgresStatement {
    typealias Row = SealKeyRecord

    static let sql = "SELECT key_id, sealed_public_key FROM seal_key ORDER BY created_at, key_id"
}

extension SealKeyRecord: PostgresRowDecodable {
    init(_ row: borrowing PostgresRow) throws(PostgresError) {
        keyId = try row.decode(0)
        sealedPublicKey = try row.decode(1)
    }
}

private struct InsertSealKey: PostgresCommand {
    let key: SealKeyRecord
    let now: Timestamp

    static let sql = """
        INSERT INTO seal_key (key_id, sealed_public_key, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(key.keyId, key.sealedPublicKey, now)
    }
}
