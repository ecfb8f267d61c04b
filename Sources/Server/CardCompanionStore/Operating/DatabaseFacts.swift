internal import PostgresLibPQ

/// What an operator must know about the PostgreSQL server.
package struct DatabaseFacts: Sendable {
    /// As PostgreSQL counts: 150018 is 15.18.
    package let versionNumber: Int32
    /// For people: 15.18.
    package let version: String
    /// The settings by which it keeps what it has acknowledged.
    package let fsync: Bool
    package let fullPageWrites: Bool
    package let synchronousCommit: String
    package let hasChecksums: Bool
    /// Whether it is a standby, which cannot be written.
    package let isInRecovery: Bool
    package let isSuperuser: Bool
    package let maximumConnections: Int32
    /// Whether the connection is encrypted.
    package let isEncrypted: Bool
    /// The address of the PostgreSQL server; nil for a Unix socket.
    package let address: String?
    /// Whether its transactions are read-only if they do not say otherwise.
    package let isReadOnly: Bool
}

extension Store {
    package func databaseFacts() async throws(StoreError) -> DatabaseFacts {
        try await statements.row(
            """
            SELECT current_setting('server_version_num')::integer, split_part(current_setting('server_version'), ' ', 1),
                current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean,
                current_setting('synchronous_commit'), current_setting('data_checksums')::boolean, pg_is_in_recovery(),
                (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), current_setting('max_connections')::integer,
                coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), host(inet_server_addr()),
                current_setting('transaction_read_only')::boolean
            """)
    }
}

extension DatabaseFacts: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            versionNumber: try row.next(),
            version: try row.next(),
            fsync: try row.next(),
            fullPageWrites: try row.next(),
            synchronousCommit: try row.next(),
            hasChecksums: try row.next(),
            isInRecovery: try row.next(),
            isSuperuser: try row.next(),
            maximumConnections: try row.next(),
            isEncrypted: try row.next(),
            address: try row.next(),
            isReadOnly: try row.next())
    }
}
