import ServerHarness

/// What a table and its indexes take per row.
struct TableSize: Codable {
    let table: String
    /// Nil: the table itself.
    let index: String?
    let rows: Int
    let bytes: Int

    var bytesPerRow: Double { Double(bytes) / Double(max(1, rows)) }

    /// All tables with more than a thousand rows, and their indexes. The numbers of rows are those of the last ANALYZE.
    static func all(in installation: TestInstallation) async throws -> [TableSize] {
        let rows = try await installation.sql(
            """
            SELECT t.relname, '', t.reltuples::bigint, pg_table_size(t.oid) FROM pg_class AS t
            WHERE t.relnamespace = 'card_companion'::regnamespace AND t.relkind = 'r' AND t.reltuples > 1000
            UNION ALL
            SELECT t.relname, i.relname, t.reltuples::bigint, pg_relation_size(i.oid)
            FROM pg_class AS t JOIN pg_index ON indrelid = t.oid JOIN pg_class AS i ON i.oid = indexrelid
            WHERE t.relnamespace = 'card_companion'::regnamespace AND t.reltuples > 1000
            ORDER BY 1, 2
            """)
        return rows.compactMap { row in
            let columns = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard columns.count == 4, let rows = Int(columns[2]), let bytes = Int(columns[3]) else { return nil }
            return TableSize(
                table: columns[0], index: columns[1].isEmpty ? nil : columns[1], rows: rows, bytes: bytes)
        }
    }
}
