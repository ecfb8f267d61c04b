internal import PostgresLibPQ

// What a backup must know.

extension Store {
    /// The schema that all tables are in.
    package static var schema: String { SchemaRunner.schema }

    /// Environment variables with which PostgreSQL's own programs, such as pg_dump, connect to the database of a URL.
    ///
    /// - Throws: ``StoreError/invalidConfiguration(reason:)``.
    package static func programEnvironment(connectingTo url: String) throws(StoreError) -> [String: String] {
        do {
            return try PostgresProgram.environment(connectingTo: url)
        } catch {
            throw StoreError(error)
        }
    }

    /// How many tables with rows of their own the schema has.
    package func tableCount() async throws(StoreError) -> Int {
        try await statements.row(
            """
            SELECT count(*) FROM pg_class
            WHERE relnamespace = 'card_companion'::regnamespace AND relkind = 'r'
            """)
    }
}
