package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// A bank's HMAC keys, the newest first.
    package func hmacKeys(bankId: Identifier) async throws(StoreError) -> [HMACKeyRecord] {
        try await statements.execute(SelectHMACKeys(bankId: bankId))
    }

    /// Adds an HMAC key to a bank. If it was imported in components, they are erased.
    package func insertHMACKey(
        _ key: NewHMACKey, _ identity: NewKeyIdentity, now: Timestamp
    ) async throws(StoreError) -> NewKeyOutcome {
        let (count, _) = try await statements.batch(
            InsertHMACKey(key: key, identity: identity, now: now), DeleteFinishedImport(identity: identity))
        return try await outcome(inserted: count, identity)
    }
}

private struct InsertHMACKey: PostgresCommand {
    let key: NewHMACKey
    let identity: NewKeyIdentity
    let now: Timestamp

    static let sql = """
        WITH new_identity AS (
            INSERT INTO key_identity (bank_id, label, key_mac)
            SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM key_identity WHERE key_mac = ANY ($4))
            ON CONFLICT DO NOTHING
            RETURNING bank_id, label
        )
        INSERT INTO hmac_key (bank_id, label, kcv, usage, sealed_key, status, created_at)
        SELECT bank_id, label, $5, $6, $7, 'ACTIVE', $8 FROM new_identity
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            identity.bankId, identity.label, identity.mac, identity.possibleMACs, key.kcv, key.usage, key.sealedKey,
            now)
    }
}

struct SelectHMACKeys: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT label, kcv, usage, sealed_key, status, created_at FROM hmac_key
        WHERE bank_id = $1 ORDER BY created_at DESC, label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> HMACKeyRecord {
        HMACKeyRecord(
            label: try row.decode(0),
            kcv: try row.decode(1),
            usage: try row.decode(2),
            sealedKey: try row.decode(3),
            status: try row.decode(4),
            createdAt: try row.decode(5))
    }
}
