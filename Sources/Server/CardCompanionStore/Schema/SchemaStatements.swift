internal import PostgresLibPQ

struct SelectSchemaState: PostgresStatement {
    static let sql = "SELECT schema_version, oldest_program, grants_digest FROM schema_state"

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (version: Int, oldestProgram: Int, grants: [UInt8]) {
        (try row.decode(0), try row.decode(1), try row.decode(2))
    }
}

struct SelectMigrations: PostgresStatement {
    static let sql = "SELECT name, digest FROM schema_migration ORDER BY name"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> DatabaseSchema.AppliedFile {
        DatabaseSchema.AppliedFile(name: try row.decode(0), digest: try row.decode(1))
    }
}

struct SelectFunctions: PostgresStatement {
    static let sql = "SELECT name, digest FROM schema_function ORDER BY name"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> DatabaseSchema.AppliedFile {
        DatabaseSchema.AppliedFile(name: try row.decode(0), digest: try row.decode(1))
    }
}

/// Which parts of the schema exist. The catalogue needs no privilege, so this works for every role.
struct SelectSchemaExistence: PostgresStatement {
    struct Existence: Sendable {
        let hasSchema: Bool
        let hasAccess: Bool
        let hasState: Bool
        let isUnreleased: Bool
    }

    static let sql = """
        WITH found AS (
            SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        )
        SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'card_companion'),
            coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'), true),
            EXISTS (SELECT FROM found WHERE name = 'card_companion.schema_state'),
            EXISTS (SELECT FROM found WHERE name = 'public.schema_migration')
                AND EXISTS (SELECT FROM found WHERE name = 'public.cardholder')
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Existence {
        Existence(
            hasSchema: try row.decode(0), hasAccess: try row.decode(1), hasState: try row.decode(2),
            isUnreleased: try row.decode(3))
    }
}

struct SelectRoleExists: PostgresStatement {
    typealias Row = Bool

    let role: String

    static let sql = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(role)
    }
}

struct InsertMigration: PostgresCommand {
    let file: Schema.File

    static let sql = "INSERT INTO schema_migration (name, digest) VALUES ($1, $2)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(file.name, file.digest)
    }
}

struct UpsertFunction: PostgresCommand {
    let file: Schema.File

    static let sql = """
        INSERT INTO schema_function (name, digest) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now()
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(file.name, file.digest)
    }
}

/// Records the versions. The digest of the grants changes only when it is given.
struct UpsertSchemaState: PostgresCommand {
    let schema: Schema
    let grantsDigest: [UInt8]?

    static let sql = """
        INSERT INTO schema_state (schema_version, oldest_program, grants_digest) VALUES ($1, $2, coalesce($3, ''))
        ON CONFLICT (is_only_row) DO UPDATE SET
            schema_version = excluded.schema_version, oldest_program = excluded.oldest_program,
            grants_digest = coalesce($3, schema_state.grants_digest)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(Int32(clamping: schema.version), Int32(clamping: schema.oldestProgram), grantsDigest)
    }
}

/// Whether the role of this session can alter the schema.
struct SelectOwnsSchema: PostgresStatement {
    typealias Row = Bool

    static let sql = """
        SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'
        """
}

private let migrationLockKey: Int64 = 0x6361_7264_636F_6D70

struct TryMigrationLock: PostgresStatement {
    typealias Row = Bool

    static let sql = "SELECT pg_try_advisory_lock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }
}

struct ReleaseMigrationLock: PostgresStatement {
    static let sql = "SELECT pg_advisory_unlock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }
}
