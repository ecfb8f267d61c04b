internal import PostgresLibPQ

extension PostgresConnection {
    /// Which parts of the schema exist. The catalogue needs no privilege, so this works for every role.
    func schemaExistence() async throws(PostgresError) -> SchemaExistence? {
        let query: PostgresQuery = """
            WITH found AS (
                SELECT nspname || '.' || relname AS name
                FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            )
            SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'card_companion'),
                coalesce(
                    (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'), true),
                EXISTS (SELECT FROM found WHERE name = 'card_companion.schema_state'),
                EXISTS (SELECT FROM found WHERE name = 'public.schema_migration')
                    AND EXISTS (SELECT FROM found WHERE name = 'public.cardholder')
            """
        return try await execute(PostgresRows<SchemaExistence>(query)).first
    }

    /// The versions that the database has, and what was applied to it.
    func schemaState(_ schema: Schema) async throws(PostgresError) -> DatabaseSchema {
        var database = DatabaseSchema()
        let state = try await execute(
            PostgresRows<Int, Int, [UInt8]>("SELECT schema_version, oldest_program, grants_digest FROM schema_state"))
        if let state = state.first { (database.version, database.oldestProgram, database.grants) = state }
        database.migrations = try await execute(
            PostgresRows<DatabaseSchema.AppliedFile>("SELECT name, digest FROM schema_migration ORDER BY name"))
        database.functions = try await execute(
            PostgresRows<DatabaseSchema.AppliedFile>("SELECT name, digest FROM schema_function ORDER BY name"))
        database.replaced = schema.replaced(in: try await execute(PostgresRows<FunctionSource>(FunctionSource.query)))
        return database
    }

    func roleExists(_ role: String) async throws(PostgresError) -> Bool {
        try await execute(PostgresRows<Bool>("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = \(role))")) == [true]
    }

    /// Whether the role of banks' connectors was created after the last migration, so that it can do nothing yet.
    func forwardRoleLacksGrants() async throws(PostgresError) -> Bool {
        let query: PostgresQuery = """
            SELECT EXISTS (
                SELECT FROM pg_roles
                WHERE rolname = 'card_companion_forward' AND NOT has_schema_privilege(oid, 'card_companion', 'USAGE'))
            """
        return try await execute(PostgresRows<Bool>(query)) == [true]
    }

    /// Whether the role of this session can alter the schema.
    func ownsSchema() async throws(PostgresError) -> Bool {
        let query: PostgresQuery = """
            SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'
            """
        return try await execute(PostgresRows<Bool>(query)) == [true]
    }

    func recordMigration(_ file: Schema.File) async throws(PostgresError) {
        let query: PostgresQuery = "INSERT INTO schema_migration (name, digest) VALUES (\(file.name, file.digest))"
        _ = try await execute(query)
    }

    func recordFunction(_ file: Schema.File) async throws(PostgresError) {
        let query: PostgresQuery = """
            INSERT INTO schema_function (name, digest) VALUES (\(file.name, file.digest))
            ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now()
            """
        _ = try await execute(query)
    }

    /// Records the versions. The digest of the grants changes only when it is given.
    func recordState(_ schema: Schema, grantsDigest: [UInt8]?) async throws(PostgresError) {
        let query: PostgresQuery = """
            INSERT INTO schema_state (schema_version, oldest_program, grants_digest)
            VALUES (\(schema.version, schema.oldestProgram), coalesce(\(grantsDigest), ''))
            ON CONFLICT (is_only_row) DO UPDATE SET
                schema_version = excluded.schema_version, oldest_program = excluded.oldest_program,
                grants_digest = coalesce(\(grantsDigest), schema_state.grants_digest)
            """
        _ = try await execute(query)
    }

    func tryMigrationLock() async throws(PostgresError) -> Bool {
        try await execute(PostgresRows<Bool>("SELECT pg_try_advisory_lock(\(migrationLockKey))")) == [true]
    }

    func releaseMigrationLock() async throws(PostgresError) {
        _ = try await execute(PostgresQuery("SELECT pg_advisory_unlock(\(migrationLockKey))"))
    }
}

private let migrationLockKey: Int64 = 0x6361_7264_636F_6D70

struct SchemaExistence: PostgresRowDecodable {
    let hasSchema: Bool
    let hasAccess: Bool
    let hasState: Bool
    let isUnreleased: Bool

    init(_ row: inout PostgresRow) throws(PostgresError) {
        hasSchema = try row.next()
        hasAccess = try row.next()
        hasState = try row.next()
        isUnreleased = try row.next()
    }
}

extension DatabaseSchema.AppliedFile: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(name: try row.next(), digest: try row.next())
    }
}
