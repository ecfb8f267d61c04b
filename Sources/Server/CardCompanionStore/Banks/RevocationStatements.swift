package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a list to a bank, or puts it in the place of an older one of the same issuer.
    ///
    /// - Parameter serials: the serial numbers of the revoked certificates (DER).
    /// - Returns: false if the bank has a newer one.
    package func putRevocationList(
        bankId: Identifier, _ list: RevocationListRecord, serials: [[UInt8]]
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            WITH serials AS (
                SELECT unnest(\(serials)) AS serial
            ), list AS (
                INSERT INTO revocation_list AS present (bank_id, \(sql: RevocationListRecord.columns))
                VALUES (\(bankId, list.issuer, list.thisUpdate, list.number, list.nextUpdate, list.importedAt))
                ON CONFLICT (bank_id, issuer) DO UPDATE SET
                    this_update = excluded.this_update, number = excluded.number, next_update = excluded.next_update,
                    imported_at = excluded.imported_at,
                    noticed_days = CASE WHEN present.next_update = excluded.next_update THEN present.noticed_days END
                WHERE (present.this_update, coalesce(present.number, ''))
                    <= (excluded.this_update, coalesce(excluded.number, ''))
                RETURNING bank_id, issuer
            ), gone AS (
                DELETE FROM revoked_certificate AS old USING list
                WHERE (old.bank_id, old.issuer) = (list.bank_id, list.issuer)
                    AND old.serial NOT IN (SELECT serial FROM serials)
            ), new AS (
                INSERT INTO revoked_certificate (bank_id, issuer, serial)
                SELECT list.bank_id, list.issuer, serial FROM list, serials
                ON CONFLICT DO NOTHING
            )
            SELECT FROM list
            """) == 1
    }

    /// - Returns: false if the bank has no list of that issuer.
    package func removeRevocationList(bankId: Identifier, issuer: String) async throws(StoreError) -> Bool {
        try await statements.execute(
            "DELETE FROM revocation_list WHERE bank_id = \(bankId) AND issuer = \(issuer)") == 1
    }

    /// A bank's lists, by issuer.
    package func revocationLists(bankId: Identifier) async throws(StoreError) -> [RevocationListRecord] {
        try await statements.rows(
            """
            SELECT \(sql: RevocationListRecord.columns) FROM revocation_list WHERE bank_id = \(bankId) ORDER BY issuer
            """)
    }

    /// A bank's lists with everything in them, by issuer.
    package func revocationListContents(bankId: Identifier) async throws(StoreError) -> [RevocationListContents] {
        try await statements.rows(Self.revocationListsQuery(bankId: bankId))
    }

    static func revocationListsQuery(bankId: Identifier) -> PostgresQuery {
        """
        SELECT \(sql: RevocationListRecord.columns), ARRAY(
            SELECT serial FROM revoked_certificate AS revoked
            WHERE (revoked.bank_id, revoked.issuer) = (revocation_list.bank_id, revocation_list.issuer) ORDER BY serial)
        FROM revocation_list WHERE bank_id = \(bankId) ORDER BY issuer
        """
    }

    /// The lists of all banks that expire by a time, or have expired.
    package func revocationLists(
        endingBy time: Timestamp
    ) async throws(StoreError) -> [(bankId: Identifier, list: RevocationListRecord)] {
        try await statements.rows(
            """
            SELECT bank_id, \(sql: RevocationListRecord.columns) FROM revocation_list WHERE next_update <= \(time)
            ORDER BY bank_id, issuer
            """
        ).map { ($0, $1) }
    }

    /// What a bank's lists say about any certificate, even one that the bank does not have.
    package func revocation(
        bankId: Identifier, of certificate: CertificateRecord
    ) async throws(StoreError) -> Revocation {
        try await statements.row(
            """
            SELECT
                (SELECT next_update FROM revocation_list WHERE bank_id = \(bankId) AND issuer = \(certificate.issuer)),
                EXISTS (
                    SELECT FROM revoked_certificate WHERE bank_id = \(bankId)
                        AND issuer = \(certificate.issuer) AND serial = \(certificate.serial)
                )
            """)
    }
}

extension RevocationListRecord: PostgresRowDecodable {
    static let columns: SQLText = "issuer, this_update, number, next_update, imported_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            issuer: try row.next(), thisUpdate: try row.next(), number: try row.next(), nextUpdate: try row.next(),
            importedAt: try row.next())
    }
}

extension RevocationListContents: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(record: try RevocationListRecord(&row), serials: try row.next())
    }
}

extension Revocation: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(listEnds: try row.next(), isListed: try row.next())
    }
}
