public import PostgresLibPQ

/// Everything that the service keeps, in PostgreSQL. All its SQL stands in this module and in `migrations/`: one typed
/// statement an operation.
public struct Store: Sendable {
    let client: PostgresClient

    /// A store over a pool of connections. The schema is ``MigrationRunner``'s to bring up to date.
    public init(client: PostgresClient) {
        self.client = client
    }
}

extension Store {
    /// Asks the database for a sign of life.
    public func ping() async throws(PostgresError) {
        _ = try await client.execute(SelectOne())
    }
}

private struct SelectOne: PostgresStatement {
    static let sql = "SELECT"
}
