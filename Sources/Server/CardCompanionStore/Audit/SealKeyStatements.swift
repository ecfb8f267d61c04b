package import CardCompanionModel
internal import PostgresLibPQ

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
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            keyId: try row.decode(0), sealedPublicKey: try row.decode(1))
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
