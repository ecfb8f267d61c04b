import ServerHarness
import Testing

/// Everything that the database of an installation has, as text: each row of each table, with every column.
struct Tables {
    /// The rows, by table. Bytes are in hex.
    let rows: [String: [String]]

    init(of installation: TestInstallation) async throws {
        // From the catalog, so that no table and no column is forgotten.
        let names = try await installation.sql(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = 'card_companion' AND table_type = 'BASE TABLE' ORDER BY table_name
            """)
        try #require(names.count > 30, "\(names)")
        var rows: [String: [String]] = [:]
        for name in names {
            rows[name] = try await installation.sql("SELECT to_jsonb(row) FROM card_companion.\"\(name)\" AS row")
        }
        self.rows = rows
    }

    /// The tables that have one of the texts.
    func holding(_ texts: [String]) -> [String] {
        rows.filter { _, rows in rows.contains { row in texts.contains(where: row.contains) } }.keys.sorted()
    }
}

/// A secret in every form in which a table could have it.
enum TableForms {
    static func all(_ secret: String) -> [String] {
        let needles = Forms.plain("secret", secret) + Forms.digests("the secret", secret)
        return needles.map { String(decoding: $0.bytes, as: UTF8.self) }
            // A digest in clear is bytes, which a table has in hex.
            .filter { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
    }
}
