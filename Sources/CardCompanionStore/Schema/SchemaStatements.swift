internal import PostgresLibPQ

struct SelectSchemaState: PostgresStatement {
    static let sql = "SELECT schema_version, oldest_program FROM schema_state"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> (version: Int, oldestProgram: Int) {
        (try row.decode(0), try row.decode(1))
    }
}

struct SelectMigrations: PostgresStatement {
    static let sql = "SELECT name, digest FROM schema_migration ORDER BY name"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DatabaseSchema.AppliedFile {
        DatabaseSchema.AppliedFile(name: try row.decode(0), digest: try row.decode(1))
    }
}

struct SelectFunctions: PostgresStatement {
    static let sql = "SELECT name, digest FROM schema_function ORDER BY name"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> DatabaseSchema.AppliedFile {
        DatabaseSchema.AppliedFile(name: try row.decode(0), digest: try row.decode(1))
    }
}

/// Whether there are tables of this program, and of one from before the first release.
struct SelectSchemaExistence: PostgresStatement {
    static let sql = """
        SELECT to_regclass('card_companion.schema_state') IS NOT NULL,
            to_regclass('public.schema_migration') IS NOT NULL AND to_regclass('public.cardholder') IS NOT NULL
        """

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> (isThere: Bool, isUnreleased: Bool) {
        (try row.decode(0), try row.decode(1))
    }
}

struct SelectRoleExists: PostgresStatement {
    let role: String

    static let sql = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(role)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Bool {
        try row.decode(0)
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

struct UpsertSchemaState: PostgresCommand {
    let schema: Schema

    static let sql = """
        INSERT INTO schema_state (schema_version, oldest_program) VALUES ($1, $2)
        ON CONFLICT (is_only_row) DO UPDATE SET
            schema_version = excluded.schema_version, oldest_program = excluded.oldest_program
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(Int32(clamping: schema.version), Int32(clamping: schema.oldestProgram))
    }
}

/// Whether the role of this session can alter the schema.
struct SelectOwnsSchema: PostgresStatement {
    static let sql = """
        SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'card_companion'
        """

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Bool {
        try row.decode(0)
    }
}

private let migrationLockKey: Int64 = 0x6361_7264_636F_6D70

struct TryMigrationLock: PostgresStatement {
    static let sql = "SELECT pg_try_advisory_lock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Bool {
        try row.decode(0)
    }
}

struct ReleaseMigrationLock: PostgresStatement {
    static let sql = "SELECT pg_advisory_unlock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }
}
