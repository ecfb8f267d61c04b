package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Stores a list. It replaces an older one.
    ///
    /// - Returns: false if the present one is newer.
    package func putTrustList(_ list: TrustListRecord) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            INSERT INTO trust_list AS present (\(sql: TrustListRecord.columns))
            VALUES (\(text(list.scope), list.list, list.root, list.sealedDigest, list.signedAt, list.importedAt))
            ON CONFLICT (scope) DO UPDATE SET
                list = excluded.list, root = excluded.root, sealed_digest = excluded.sealed_digest,
                signed_at = excluded.signed_at, imported_at = excluded.imported_at
            WHERE present.signed_at <= excluded.signed_at
            """) == 1
    }

    /// Removes a list and its revocation lists.
    ///
    /// - Returns: false if there is none.
    package func removeTrustList(scope: Identifier?) async throws(StoreError) -> Bool {
        try await statements.batch(
            PostgresQuery("DELETE FROM trust_revocation_list WHERE scope = \(text(scope))"),
            PostgresQuery("DELETE FROM trust_list WHERE scope = \(text(scope))")
        ).1 == 1
    }

    /// What a bank trusts: its own list, or the list for all banks.
    package func trustList(of bankId: Identifier) async throws(StoreError) -> TrustListRecord? {
        // A bank's own list comes first, because its scope is not empty.
        try await statements.firstRow(
            """
            SELECT \(sql: TrustListRecord.columns) FROM trust_list WHERE scope IN (\(bankId), '')
            ORDER BY scope DESC LIMIT 1
            """)
    }

    /// The list of a scope itself.
    package func trustList(scope: Identifier?) async throws(StoreError) -> TrustListRecord? {
        try await statements.firstRow(
            "SELECT \(sql: TrustListRecord.columns) FROM trust_list WHERE scope = \(text(scope))")
    }

    package func trustRevocationLists(scope: Identifier?) async throws(StoreError) -> [TrustRevocationListRecord] {
        try await statements.rows(
            """
            SELECT \(sql: TrustRevocationListRecord.columns) FROM trust_revocation_list
            WHERE scope = \(text(scope)) ORDER BY issuer
            """)
    }

    /// Stores a revocation list. It replaces an older one of the same issuer.
    ///
    /// - Returns: false if the present one is newer.
    package func putTrustRevocationList(_ list: TrustRevocationListRecord) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            INSERT INTO trust_revocation_list AS present (\(sql: TrustRevocationListRecord.columns))
            VALUES (\(text(list.scope), list.issuer, list.digest, list.list, list.thisUpdate, list.number, list.importedAt))
            ON CONFLICT (scope, issuer) DO UPDATE SET
                digest = excluded.digest, list = excluded.list, this_update = excluded.this_update,
                number = excluded.number, imported_at = excluded.imported_at
            WHERE (present.this_update, coalesce(present.number, ''))
                <= (excluded.this_update, coalesce(excluded.number, ''))
            """) == 1
    }

    /// All lists. The one for all banks comes first.
    package func trustListSummaries() async throws(StoreError) -> [TrustListSummary] {
        try await statements.rows(
            """
            SELECT trust_list.scope, signed_at, trust_list.imported_at, count(revocation.issuer), min(this_update)
            FROM trust_list LEFT JOIN trust_revocation_list AS revocation USING (scope)
            GROUP BY trust_list.scope ORDER BY trust_list.scope
            """)
    }

    /// Changes whenever what a bank trusts changes.
    package func trustRevision(of bankId: Identifier) async throws(StoreError) -> String? {
        try await statements.execute(SelectTrustRevision(bankId: bankId)).first
    }
}

/// The scope as columns store it: empty for all banks.
private func text(_ scope: Identifier?) -> String { scope?.text ?? "" }

/// Reads the revision of what a bank trusts. There is no row if it trusts nothing.
func trustRevisionQuery(bankId: String) -> String {
    """
    SELECT concat_ws(' ', scope, encode(sha256(sealed_digest), 'hex'), (
        SELECT encode(sha256(string_agg(issuer || digest, '' ORDER BY issuer)), 'hex')
        FROM trust_revocation_list AS revocation WHERE revocation.scope = trust_list.scope))
    FROM trust_list WHERE scope IN (\(bankId), '') ORDER BY scope DESC LIMIT 1
    """
}

private struct SelectTrustRevision: PostgresStatement {
    typealias Row = String

    let bankId: Identifier

    static let sql = trustRevisionQuery(bankId: "$1")

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

extension TrustListRecord: PostgresRowDecodable {
    static let columns: SQLText = "scope, list, root, sealed_digest, signed_at, imported_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.next(as: String.self)), list: try row.next(), root: try row.next(),
            sealedDigest: try row.next(), signedAt: try row.next(), importedAt: try row.next())
    }
}

extension TrustRevocationListRecord: PostgresRowDecodable {
    static let columns: SQLText = "scope, issuer, digest, list, this_update, number, imported_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.next(as: String.self)), issuer: try row.next(), digest: try row.next(),
            list: try row.next(), thisUpdate: try row.next(), number: try row.next(), importedAt: try row.next())
    }
}

extension TrustListSummary: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.next(as: String.self)), signedAt: try row.next(),
            importedAt: try row.next(), revocationListCount: try row.next(),
            oldestRevocationList: try row.next())
    }
}
