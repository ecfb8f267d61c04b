package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// A bank's HMAC keys, the newest first.
    package func hmacKeys(bankId: Identifier) async throws(StoreError) -> [HMACKeyRecord] {
        try await statements.rows(Self.hmacKeysQuery(bankId: bankId))
    }

    static func hmacKeysQuery(bankId: Identifier) -> PostgresQuery {
        """
        SELECT label, kcv, usage, sealed_key, status, created_at FROM hmac_key
        WHERE bank_id = \(bankId) ORDER BY created_at DESC, label
        """
    }

    /// Adds an HMAC key to a bank. If it was imported in components, they are erased.
    package func insertHMACKey(
        _ key: NewHMACKey, _ identity: NewKeyIdentity, now: Timestamp
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
                INSERT INTO hmac_key (bank_id, label, kcv, usage, sealed_key, status, created_at)
                SELECT bank_id, label, \(key.kcv, key.usage, key.sealedKey), 'ACTIVE', \(now) FROM new_identity
                """),
            Self.deleteFinishedImport(identity))
        return try await outcome(inserted: count, identity)
    }
}

extension HMACKeyRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.next(), kcv: try row.next(), usage: try row.next(), sealedKey: try row.next(),
            status: try row.next(), createdAt: try row.next())
    }
}
