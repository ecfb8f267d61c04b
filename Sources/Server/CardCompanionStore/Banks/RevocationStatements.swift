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
        try await statements.executeForOneRow(PutRevocationList(bankId: bankId, list: list, serials: serials))
    }

    /// - Returns: false if the bank has no list of that issuer.
    package func removeRevocationList(bankId: Identifier, issuer: String) async throws(StoreError) -> Bool {
        try await statements.execute(DeleteRevocationList(bankId: bankId, issuer: issuer)) == 1
    }

    /// A bank's lists, by issuer.
    package func revocationLists(bankId: Identifier) async throws(StoreError) -> [RevocationListRecord] {
        try await statements.execute(SelectRevocationLists(bankId: bankId))
    }

    /// The lists of all banks that expire by a time, or have expired.
    package func revocationLists(
        endingBy time: Timestamp
    ) async throws(StoreError) -> [(bankId: Identifier, list: RevocationListRecord)] {
        try await statements.execute(SelectEndingRevocationLists(time: time))
    }

    /// What a bank's lists say about any certificate, even one that the bank does not have.
    package func revocation(
        bankId: Identifier, of certificate: CertificateRecord
    ) async throws(StoreError) -> Revocation {
        try await statements.executeForOneRow(SelectRevocation(bankId: bankId, certificate: certificate))
    }
}

private struct PutRevocationList: PostgresStatement {
    typealias Row = Bool

    let bankId: Identifier
    let list: RevocationListRecord
    let serials: [[UInt8]]

    static let sql = """
        WITH list AS (
            INSERT INTO revocation_list AS present (bank_id, issuer, this_update, next_update, imported_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (bank_id, issuer) DO UPDATE SET
                this_update = excluded.this_update, next_update = excluded.next_update, imported_at = excluded.imported_at,
                noticed_days = CASE WHEN present.next_update = excluded.next_update THEN present.noticed_days END
            WHERE present.this_update <= excluded.this_update
            RETURNING bank_id, issuer
        ), gone AS (
            DELETE FROM revoked_certificate AS old USING list
            WHERE (old.bank_id, old.issuer) = (list.bank_id, list.issuer) AND old.serial NOT IN (SELECT unnest($6::bytea[]))
        ), new AS (
            INSERT INTO revoked_certificate (bank_id, issuer, serial)
            SELECT list.bank_id, list.issuer, serial FROM list, unnest($6::bytea[]) AS serial
            ON CONFLICT DO NOTHING
        )
        SELECT EXISTS (SELECT FROM list)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, list.issuer, list.thisUpdate, list.nextUpdate, list.importedAt, serials)
    }
}

private struct DeleteRevocationList: PostgresCommand {
    let bankId: Identifier
    let issuer: String

    static let sql = "DELETE FROM revocation_list WHERE bank_id = $1 AND issuer = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, issuer)
    }
}

private struct SelectRevocationLists: PostgresStatement {
    typealias Row = RevocationListRecord

    let bankId: Identifier

    static let sql = """
        SELECT issuer, this_update, next_update, imported_at FROM revocation_list WHERE bank_id = $1 ORDER BY issuer
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

private struct SelectEndingRevocationLists: PostgresStatement {
    let time: Timestamp

    static let sql = """
        SELECT issuer, this_update, next_update, imported_at, bank_id FROM revocation_list WHERE next_update <= $1
        ORDER BY bank_id, issuer
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(time)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (bankId: Identifier, list: RevocationListRecord) {
        (try row.decode(4), try RevocationListRecord(&row))
    }
}

extension RevocationListRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            issuer: try row.decode(0), thisUpdate: try row.decode(1), nextUpdate: try row.decode(2),
            importedAt: try row.decode(3))
    }
}

private struct SelectRevocation: PostgresStatement {
    let bankId: Identifier
    let certificate: CertificateRecord

    static let sql = """
        SELECT
            (SELECT next_update FROM revocation_list WHERE bank_id = $1 AND issuer = $2),
            EXISTS (SELECT FROM revoked_certificate WHERE bank_id = $1 AND issuer = $2 AND serial = $3)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, certificate.issuer, certificate.serial)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Revocation {
        Revocation(listEnds: try row.decode(0), isListed: try row.decode(1))
    }
}
