/// What a database says about its schema.
struct DatabaseSchema: Sendable {
    struct AppliedFile: Sendable {
        let name: String
        let digest: [UInt8]
    }

    /// The schema version of the newest program that has migrated this database; 0 before the first migration.
    var version = 0
    /// The oldest program that can serve this database.
    var oldestProgram = 0
    var migrations: [AppliedFile] = []
    var functions: [AppliedFile] = []
    /// The functions whose source is not the one of this program's file.
    var replaced: [String] = []
    /// The digest of the grants that were applied last.
    var grants: [UInt8] = []
    /// Whether the database has tables of a program from before the first release.
    var isUnreleased = false
}

/// What a program must do with a database before it can serve it.
struct SchemaPlan: Equatable {
    /// Numbered files to apply, in order.
    var migrations: [Schema.File] = []
    /// Functions to create or replace.
    var functions: [Schema.File] = []
    var changesGrantsOrVersion = false

    var isEmpty: Bool { migrations.isEmpty && functions.isEmpty && !changesGrantsOrVersion }

    /// Why a server cannot serve before it is carried out.
    func error(for database: DatabaseSchema) -> SchemaError {
        // A function of an older program has its source rightly.
        let replaced = functions.filter { file in
            database.replaced.contains(file.name)
                && database.functions.contains { $0.name == file.name && $0.digest == file.digest }
        }
        guard replaced.count == names.count else { return .outdated(pending: names) }
        return .replaced(functions: names)
    }

    /// What is missing, for people.
    var names: [String] {
        (migrations + functions).map(\.name) + (changesGrantsOrVersion ? ["grants"] : [])
    }

    /// - Throws: ``SchemaError`` if the program cannot serve this database, now or after a migration.
    init(for database: DatabaseSchema, _ schema: Schema) throws(SchemaError) {
        guard !database.isUnreleased else { throw .unreleased }
        guard database.version <= schema.version else {
            // A newer program has migrated the database, and says whether this one still understands it.
            guard database.oldestProgram <= schema.version else {
                throw .programTooOld(program: schema.version, oldest: database.oldestProgram)
            }
            return
        }
        for applied in database.migrations {
            guard let file = schema.migrations.first(where: { $0.name == applied.name }) else {
                throw .unknownMigration(name: applied.name)
            }
            guard file.digest == applied.digest else { throw .edited(name: applied.name) }
        }
        let names = Set(database.migrations.map(\.name))
        migrations = schema.migrations.filter { !names.contains($0.name) }
        functions = schema.functions.filter { file in
            !database.functions.contains { $0.name == file.name && $0.digest == file.digest }
                || database.replaced.contains(file.name)
        }
        changesGrantsOrVersion =
            database.grants != schema.grants.digest
            || (database.version, database.oldestProgram) != (schema.version, schema.oldestProgram)
    }
}

/// Why a program cannot serve a database.
package enum SchemaError: Error, Equatable, CustomStringConvertible {
    /// The schema is from before the first release.
    case unreleased
    /// The database needs a newer program.
    case programTooOld(program: Int, oldest: Int)
    /// The database lacks these files.
    case outdated(pending: [String])
    /// Somebody has replaced these functions, which no migration did.
    case replaced(functions: [String])
    /// The database has a migration that this program does not have.
    case unknownMigration(name: String)
    /// The role of the database URL has no access to the schema.
    case noAccess
    /// A numbered file is not the one that was applied.
    case edited(name: String)
    /// The group role of the servers does not exist, and this role may not create it.
    case missingRole
    /// Another migration has held the lock for too long.
    case locked

    /// For an operator: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .unreleased:
            "the database has a schema from before the first release, which cannot be upgraded: use an empty database "
                + "(for the private one: stop all servers and move the data directory away)"
        case .programTooOld(let program, let oldest):
            "this program is too old for the database (schema \(program), the database needs at least \(oldest)): "
                + "install the newer card-companion"
        case .outdated(let pending) where pending.contains("0001_baseline"):
            "the database is empty: run 'card-companion migrate' with the URL of the role that owns it. If it should not be empty, "
                + "look at database.url"
        case .outdated(let pending):
            "the schema of the database is outdated (missing: \(pending.joined(separator: ", "))): "
                + "run 'card-companion migrate'"
        case .replaced(let functions):
            "somebody has replaced functions of the database (\(functions.joined(separator: ", "))): find out who. Then run "
                + "'card-companion migrate', which puts them back"
        case .unknownMigration(let name):
            "the database has migration \(name), which this program does not know: install the newer card-companion"
        case .noAccess:
            "the database role has no access to the schema \(SchemaRunner.schema): let its owner run "
                + "'GRANT \(SchemaRunner.serviceRole) TO …'"
        case .edited(let name):
            "migration \(name) in the database differs from the one in this program: the file was edited after it was "
                + "applied"
        case .missingRole:
            "the role \(SchemaRunner.serviceRole) does not exist, and this role may not create it: let a superuser run "
                + "'CREATE ROLE \(SchemaRunner.serviceRole) NOLOGIN'"
        case .locked:
            "another migration has been running for \(SchemaRunner.lockWaitLimit): check whether it is stuck"
        }
    }
}
