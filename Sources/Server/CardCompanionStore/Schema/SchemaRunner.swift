internal import CardCompanionModel
package import Logging
internal import PostgresLibPQ

/// Brings the schema of a database up to date. If several programs try at once, one works and the others wait.
package struct SchemaRunner: Sendable {
    /// The schema of all tables and functions.
    static let schema = "card_companion"
    /// The group role of the servers. It can read and write rows and call functions, and nothing else.
    package static let serviceRole = "card_companion_service"
    /// How long a program waits for another one's migration.
    static let lockWaitLimit = Duration.seconds(600)
    private static let lockPollInterval = Duration.milliseconds(200)

    private let client: PostgresClient
    private let schema: Schema
    private let logger: Logger

    package init(store: Store, schema: Schema = .current, logger: Logger) {
        client = store.client
        self.schema = schema
        self.logger = logger
    }

    /// Applies what the database lacks: each numbered file in a transaction of its own, then all changed functions in one.
    ///
    /// - Returns: the names of what was applied.
    /// - Throws: ``SchemaError``, ``StoreError``. Files that were applied before the error stay applied.
    package func run() async throws -> [String] {
        try await connected { connection in
            try await lock(connection)
            do {
                let applied = try await applyPending(connection)
                try await connection.releaseMigrationLock()
                return applied
            } catch {
                // If this fails, the connection is lost, and the lock with it.
                try? await connection.releaseMigrationLock()
                throw error
            }
        }
    }

    /// Makes sure that this program can serve the database as it is.
    ///
    /// - Throws: ``SchemaError``, ``StoreError``.
    package func check() async throws -> UsableSchema {
        try await connected { connection in
            let database = try await read(connection)
            let plan = try SchemaPlan(for: database, schema)
            guard plan.isEmpty else { throw plan.error(for: database) }
            return UsableSchema(
                isOwned: try await connection.ownsSchema(),
                isNewer: database.version > schema.version)
        }
    }

    private func connected<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        do {
            return try await client.withConnection(body)
        } catch let error as PostgresError {
            throw StoreError(error)
        }
    }

    private func read(_ connection: PostgresConnection) async throws -> DatabaseSchema {
        guard let existence = try await connection.schemaExistence() else { return DatabaseSchema() }
        guard existence.hasAccess else { throw SchemaError.noAccess }
        var database = existence.hasState ? try await connection.schemaState(schema) : DatabaseSchema()
        database.isUnreleased = existence.isUnreleased
        return database
    }

    private func applyPending(_ connection: PostgresConnection) async throws -> [String] {
        let database = try await read(connection)
        var plan = try SchemaPlan(for: database, schema)
        // Only the newest program's grants count.
        if plan.isEmpty, database.version == schema.version, try await connection.forwardRoleLacksGrants() {
            plan.changesGrantsOrVersion = true
        }
        guard !plan.isEmpty else { return [] }
        try await createRole(connection)
        try await createSchema(connection)
        for file in plan.migrations {
            logger.info("Applying migration", metadata: ["name": "\(file.name)"])
            try await inTransaction(connection) {
                try await connection.executeScript(file.sql)
                try await connection.recordMigration(file)
                // At once, so that an older program sees that a newer one is at work.
                try await connection.recordState(schema, grantsDigest: nil)
            }
        }
        try await inTransaction(connection) {
            for file in plan.functions {
                try await connection.executeScript(file.sql)
                try await connection.recordFunction(file)
            }
            try await connection.executeScript(schema.grants.sql)
            try await connection.recordState(schema, grantsDigest: schema.grants.digest)
        }
        return plan.names
    }

    /// Creates the schema and its bookkeeping, if they do not exist. The owner of an existing schema may lack the right to
    /// create one.
    private func createSchema(_ connection: PostgresConnection) async throws {
        let existence = try await connection.schemaExistence()
        if existence?.hasSchema != true { try await connection.executeScript("CREATE SCHEMA \(Self.schema)") }
        try await connection.executeScript(Self.bookkeeping)
    }

    private func createRole(_ connection: PostgresConnection) async throws {
        guard try await !connection.roleExists(Self.serviceRole) else { return }
        do {
            try await connection.executeScript("CREATE ROLE \(Self.serviceRole) NOLOGIN")
        } catch {
            switch error.sqlState {
            // Roles belong to the whole cluster: the migration of another database has just created it.
            case .uniqueViolation, .duplicateObject: return
            case .insufficientPrivilege: throw SchemaError.missingRole
            default: throw error
            }
        }
    }

    private func inTransaction(_ connection: PostgresConnection, _ body: () async throws -> Void) async throws {
        // Others queue behind a migration that waits for a lock. So it gives up soon, and can be run again.
        try await connection.executeScript("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'")
        do {
            try await body()
            try await connection.executeScript("COMMIT")
        } catch {
            // If this fails, the connection is lost, and the transaction with it.
            try? await connection.executeScript("ROLLBACK")
            throw error
        }
    }

    // The lock belongs to the session and ends with it. It is polled, because a statement that waits would run into the
    // statement timeout.
    private func lock(_ connection: PostgresConnection) async throws {
        let deadline = ContinuousClock.now + Self.lockWaitLimit
        while try await !connection.tryMigrationLock() {
            guard ContinuousClock.now < deadline else { throw SchemaError.locked }
            try await Task.sleep(for: Self.lockPollInterval)
        }
    }

    private static let bookkeeping = """
        CREATE TABLE IF NOT EXISTS card_companion.schema_migration (
            name       text PRIMARY KEY,
            digest     bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE IF NOT EXISTS card_companion.schema_function (
            name       text PRIMARY KEY,
            digest     bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE IF NOT EXISTS card_companion.schema_state (
            is_only_row    boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
            schema_version integer NOT NULL,
            oldest_program integer NOT NULL CHECK (oldest_program <= schema_version),
            grants_digest  bytea NOT NULL
        )
        """
}

/// A schema that this program can serve.
package struct UsableSchema: Sendable {
    /// Whether the role of this program owns it. A role that serves should not.
    package let isOwned: Bool
    /// Whether a newer program has migrated it.
    package let isNewer: Bool
}
