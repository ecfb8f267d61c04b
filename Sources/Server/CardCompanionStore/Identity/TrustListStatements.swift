package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Stores a list. It replaces an older one.
    ///
    /// - Returns: false if the present one is newer.
    package func putTrustList(_ list: TrustListRecord) async throws(StoreError) -> Bool {
        try await statements.execute(PutTrustList(list: list)) == 1
    }

    /// Removes a list and its revocation lists.
    ///
    /// - Returns: false if there is none.
    package func removeTrustList(scope: Identifier?) async throws(StoreError) -> Bool {
        try await statements.batch(DeleteTrustRevocationLists(scope: scope), DeleteTrustList(scope: scope)).1 == 1
    }

    /// What a bank trusts: its own list, or the list for all banks.
    package func trustList(of bankId: Identifier) async throws(StoreError) -> TrustListRecord? {
        try await statements.execute(SelectTrustList(bankId: bankId)).first
    }

    /// The list of a scope itself.
    package func trustList(scope: Identifier?) async throws(StoreError) -> TrustListRecord? {
        try await statements.execute(SelectTrustListOfScope(scope: scope)).first
    }

    package func trustRevocationLists(scope: Identifier?) async throws(StoreError) -> [TrustRevocationListRecord] {
        try await statements.execute(SelectTrustRevocationLists(scope: scope))
    }

    /// Stores a revocation list. It replaces an older one of the same issuer.
    ///
    /// - Returns: false if the present one is newer.
    package func putTrustRevocationList(_ list: TrustRevocationListRecord) async throws(StoreError) -> Bool {
        try await statements.execute(PutTrustRevocationList(list: list)) == 1
    }

    /// All lists. The one for all banks comes first.
    package func trustListSummaries() async throws(StoreError) -> [TrustListSummary] {
        try await statements.execute(SelectTrustListSummaries())
    }

    /// Changes whenever what a bank trusts changes.
    package func trustRevision(of bankId: Identifier) async throws(StoreError) -> String? {
        try await statements.execute(SelectTrustRevision(bankId: bankId)).first
    }
}

/// The scope as columns store it: empty for all banks.
private func text(_ scope: Identifier?) -> String { scope?.text ?? "" }

private struct PutTrustList: PostgresCommand {
    let list: TrustListRecord

    static let sql = """
        INSERT INTO trust_list AS present (scope, list, root, sealed_digest, signed_at, imported_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (scope) DO UPDATE SET
            list = excluded.list, root = excluded.root, sealed_digest = excluded.sealed_digest,
            signed_at = excluded.signed_at, imported_at = excluded.imported_at
        WHERE present.signed_at <= excluded.signed_at
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            text(list.scope), list.list, list.root, list.sealedDigest, list.signedAt, list.importedAt)
    }
}

private struct DeleteTrustList: PostgresCommand {
    let scope: Identifier?

    static let sql = "DELETE FROM trust_list WHERE scope = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(text(scope))
    }
}

private struct DeleteTrustRevocationLists: PostgresCommand {
    let scope: Identifier?

    static let sql = "DELETE FROM trust_revocation_list WHERE scope = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(text(scope))
    }
}

private let listColumns = "scope, list, root, sealed_digest, signed_at, imported_at"

/// A bank's own list comes first, because its scope is not empty.
private struct SelectTrustList: PostgresStatement {
    typealias Row = TrustListRecord

    let bankId: Identifier

    static let sql = """
        SELECT \(listColumns) FROM trust_list WHERE scope IN ($1, '') ORDER BY scope DESC LIMIT 1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

private struct SelectTrustListOfScope: PostgresStatement {
    typealias Row = TrustListRecord

    let scope: Identifier?

    static let sql = "SELECT \(listColumns) FROM trust_list WHERE scope = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(text(scope))
    }
}

private struct SelectTrustRevocationLists: PostgresStatement {
    typealias Row = TrustRevocationListRecord

    let scope: Identifier?

    static let sql = """
        SELECT scope, issuer, digest, list, this_update, imported_at FROM trust_revocation_list WHERE scope = $1 ORDER BY issuer
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(text(scope))
    }
}

private struct PutTrustRevocationList: PostgresCommand {
    let list: TrustRevocationListRecord

    static let sql = """
        INSERT INTO trust_revocation_list AS present (scope, issuer, digest, list, this_update, imported_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (scope, issuer) DO UPDATE SET
            digest = excluded.digest, list = excluded.list, this_update = excluded.this_update, imported_at = excluded.imported_at
        WHERE present.this_update <= excluded.this_update
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            text(list.scope), list.issuer, list.digest, list.list, list.thisUpdate, list.importedAt)
    }
}

private struct SelectTrustListSummaries: PostgresStatement {
    typealias Row = TrustListSummary

    static let sql = """
        SELECT trust_list.scope, signed_at, trust_list.imported_at, count(revocation.issuer), min(this_update)
        FROM trust_list LEFT JOIN trust_revocation_list AS revocation USING (scope)
        GROUP BY trust_list.scope ORDER BY trust_list.scope
        """
}

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
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.decode(0, as: String.self)), list: try row.decode(1), root: try row.decode(2),
            sealedDigest: try row.decode(3), signedAt: try row.decode(4), importedAt: try row.decode(5))
    }
}

extension TrustRevocationListRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.decode(0, as: String.self)), issuer: try row.decode(1), digest: try row.decode(2),
            list: try row.decode(3), thisUpdate: try row.decode(4), importedAt: try row.decode(5))
    }
}

extension TrustListSummary: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            scope: Identifier(try row.decode(0, as: String.self)), signedAt: try row.decode(1),
            importedAt: try row.decode(2), revocationListCount: try row.decode(3),
            oldestRevocationList: try row.decode(4))
    }
}
