package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    package func sealKeys() async throws(StoreError) -> [SealKeyRecord] {
        try await statements.rows("SELECT key_id, sealed_public_key FROM seal_key ORDER BY created_at, key_id")
    }

    /// Adds a key, unless it is there.
    package func insertSealKey(_ key: SealKeyRecord, now: Timestamp) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO seal_key (key_id, sealed_public_key, created_at)
            VALUES (\(key.keyId, key.sealedPublicKey, now)) ON CONFLICT DO NOTHING
            """)
    }
}

extension SealKeyRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(keyId: try row.next(), sealedPublicKey: try row.next())
    }
}
