internal import Cryptography
internal import PostgresLibPQ

// What somebody has replaced in the database behind the program's back.

extension Schema.File {
    /// SHA-256 of the function's source, as the catalogue keeps it: what is between the first two `$$`. Nil if there is none.
    var sourceDigest: [UInt8]? {
        let quote = "$$"
        let parts = sql.split(separator: quote, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? SHA256.hash(Array(parts[1].utf8)) : nil
    }
}

extension Schema {
    /// The functions whose source in the database is not the one of their file.
    func replaced(in sources: [FunctionSource]) -> [String] {
        functions.filter { file in
            guard let digest = file.sourceDigest else { return false }
            let found = sources.filter { $0.name == file.name }
            return found.isEmpty || found.contains { $0.digest != digest }
        }.map(\.name)
    }
}

/// A function of the schema, as the catalogue has it.
struct FunctionSource: PostgresRowDecodable, Sendable {
    let name: String
    /// SHA-256 of its source.
    let digest: [UInt8]

    /// Needs no privilege.
    static var query: PostgresQuery {
        """
        SELECT proname::text, sha256(convert_to(prosrc, 'UTF8')) FROM pg_proc
        WHERE pronamespace = 'card_companion'::regnamespace
        """
    }

    init(_ row: inout PostgresRow) throws(PostgresError) {
        name = try row.next()
        digest = try row.next()
    }
}

extension Store {
    /// What is replaced or added in the database so that entries of the audit trail can go missing: functions whose source is
    /// not the one of this program, and triggers, rules and row security of the trail's tables, which have none.
    ///
    /// - Returns: nothing if a newer program has migrated the database.
    package func alterations(of schema: Schema = .current) async throws(StoreError) -> [String] {
        let (versions, sources, additions) = try await statements.batch(
            PostgresRows<Int>("SELECT schema_version FROM schema_state"),
            PostgresRows<FunctionSource>(FunctionSource.query),
            PostgresRows<String>(
                """
                WITH trail AS (
                    SELECT oid, relname, relrowsecurity FROM pg_class
                    WHERE relnamespace = 'card_companion'::regnamespace
                        AND relname IN ('audit_entry', 'audit_seal', 'audit_head')
                )
                SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger JOIN trail ON trail.oid = tgrelid
                WHERE NOT tgisinternal
                UNION ALL SELECT 'rule ' || rulename || ' of ' || relname FROM pg_rewrite JOIN trail ON trail.oid = ev_class
                UNION ALL SELECT 'row security of ' || relname FROM trail WHERE relrowsecurity
                ORDER BY 1
                """))
        guard versions.first ?? 0 <= schema.version else { return [] }
        return schema.replaced(in: sources).map { "function \($0)" } + additions
    }
}
