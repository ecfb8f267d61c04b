import Foundation
import ServerHarness

/// Fills a database with rows that the database generates itself. The service's own cardholders, to which requests go, are
/// spread evenly among the generated ones, in the table and in its indexes.
struct GeneratedRows {
    let service: BenchService
    let cardholders: Int
    let spent: Int

    private static let cardholdersPerStatement = 1_000_000
    private static let spentPerStatement = 10_000_000
    /// One generated cardholder of so many has a PIN that was not delivered yet.
    private static let undeliveredShare = 20

    /// How many cardholders are generated next to each real one.
    private var copies: Int { max(1, cardholders / service.cardholderCount) }

    func insert(log: (String) -> Void) async throws {
        try await insertCardholders(log)
        try await insertSpent(log)
        log("vacuuming")
        try await service.installation.runAlone("VACUUM (ANALYZE)")
        try await service.installation.runAlone("CHECKPOINT")
    }

    /// Generated cardholders are copies of real ones with other names: their PINs and codes have the right sizes, but do not
    /// open.
    private func insertCardholders(_ log: (String) -> Void) async throws {
        let names = try await service.installation.sql(
            """
            CREATE UNLOGGED TABLE kept AS
                SELECT row_number() OVER (ORDER BY unique_id) AS number, cardholder.* FROM cardholder;
            TRUNCATE cardholder CASCADE;
            SELECT attname FROM pg_attribute
            WHERE attrelid = 'cardholder'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """)
        let values = names.map { Self.generated[$0] ?? $0 }.joined(separator: ", ")
        let step = max(1, Self.cardholdersPerStatement / copies)
        for first in stride(from: 1, through: service.cardholderCount, by: step) {
            log("generating cardholders from \((first - 1) * copies) on")
            try await service.installation.sql(
                """
                SET LOCAL synchronous_commit = off;
                INSERT INTO cardholder (\(names.joined(separator: ", ")))
                SELECT \(values) FROM kept, generate_series(0, \(copies - 1)) AS place
                WHERE number BETWEEN \(first) AND \(first + step - 1) ORDER BY number, place
                """)
        }
        try await service.installation.sql(
            """
            INSERT INTO pin_expiry SELECT bank_id, unique_id, pin_expires_at FROM cardholder
                WHERE pin_expires_at IS NOT NULL;
            DROP TABLE kept
            """)
    }

    private static let isUndelivered = "place % \(undeliveredShare) = 0"
    private static let generated = [
        "unique_id": "unique_id || CASE WHEN place = 0 THEN '' ELSE '-' || lpad(place::text, 6, '0') END",
        "pin_expires_at": "CASE WHEN \(isUndelivered) THEN pin_expires_at END",
        "delivered_at": "CASE WHEN NOT \(isUndelivered) THEN created_at END",
    ]

    /// The key is made afterwards, because adding to it in random order takes hours.
    private func insertSpent(_ log: (String) -> Void) async throws {
        guard spent > 0 else { return }
        try await service.installation.sql("ALTER TABLE spent_transaction DROP CONSTRAINT spent_transaction_pkey")
        for first in stride(from: 1, through: spent, by: Self.spentPerStatement) {
            log("generating spent ids from \(first - 1) on")
            try await service.installation.sql(
                """
                SET LOCAL synchronous_commit = off;
                INSERT INTO spent_transaction SELECT '\(service.bank.id)', substr(sha256(int8send(n)), 1, 16)
                FROM generate_series(\(first)::bigint, \(min(spent, first + Self.spentPerStatement - 1))) AS n
                """)
        }
        log("indexing spent ids")
        try await service.installation.sql(
            """
            SET LOCAL maintenance_work_mem = '1GB';
            ALTER TABLE spent_transaction ADD PRIMARY KEY (bank_id, digest)
            """)
    }
}

extension TestInstallation {
    /// Runs a statement that must not run in a transaction, as the superuser.
    func runAlone(_ statement: String) async throws { try await psql(statement, as: "postgres") }

    /// Runs a statement, or a command of psql, alone.
    func psql(_ command: String, as role: String = "card_companion") async throws {
        let url = "\(ownerURL) user=\(role) options='-c search_path=card_companion'"
        try await TestCommand.run("psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", command, url]).succeeded()
    }
}
