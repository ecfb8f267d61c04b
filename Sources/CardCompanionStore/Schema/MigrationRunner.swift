public import Logging
public import PostgresLibPQ

/// Brings the schema up to date. Of several runners at once one works and the others wait for it.
public struct MigrationRunner: Sendable {
    private let client: PostgresClient
    private let migrations: [Migration]
    private let logger: Logger

    /// How long a runner waits for another one.
    static let lockWaitLimit = Duration.seconds(600)
    private static let lockPollInterval = Duration.milliseconds(200)

    /// A runner of `migrations`, which are in order.
    public init(client: PostgresClient, migrations: [Migration] = Migration.all, logger: Logger) {
        self.client = client
        self.migrations = migrations
        self.logger = logger
    }

    /// Applies what the database lacks, each migration in a transaction of its own.
    ///
    /// - Returns: what was applied.
    /// - Throws: ``MigrationError``, and `PostgresError` where a migration fails; those before it stand.
    public func run() async throws -> [Migration] {
        try await client.withConnection { connection in
            try await lock(connection)
            do {
                let applied = try await applyPending(connection)
                try await unlock(connection)
                return applied
            } catch {
                // Where this fails the connection is lost, and the lock with it.
                try? await unlock(connection)
                throw error
            }
        }
    }

    /// Makes sure that the schema is the one of this program.
    ///
    /// - Throws: ``MigrationError`` where it is older or newer.
    public func check() async throws {
        let rows = try await client.withConnection { connection in try await applied(connection) }
        let missing = try pending(applied: rows)
        guard missing.isEmpty else { throw MigrationError.older(pending: missing.map(\.version)) }
    }

    private func applied(_ connection: PostgresConnection) async throws(PostgresError) -> [AppliedMigration] {
        do {
            return try await connection.execute(SelectAppliedMigrations())
        } catch  where error.sqlState == .undefinedTable {
            return []
        }
    }

    private func applyPending(_ connection: PostgresConnection) async throws -> [Migration] {
        try await connection.executeScript(Self.makeTable)
        let missing = try pending(applied: try await connection.execute(SelectAppliedMigrations()))
        for migration in missing {
            logger.info("Migration", metadata: ["version": "\(migration.version)", "name": "\(migration.name)"])
            try await apply(migration, connection)
        }
        return missing
    }

    private func apply(_ migration: Migration, _ connection: PostgresConnection) async throws {
        try await connection.executeScript("BEGIN; SET LOCAL statement_timeout = 0")
        do {
            try await connection.executeScript(migration.sql)
            _ = try await connection.execute(InsertAppliedMigration(migration: migration))
            try await connection.executeScript("COMMIT")
        } catch {
            try await connection.executeScript("ROLLBACK")
            throw error
        }
    }

    /// What is still to be applied.
    func pending(applied: [AppliedMigration]) throws(MigrationError) -> [Migration] {
        let known = Dictionary(uniqueKeysWithValues: migrations.map { ($0.version, $0) })
        for row in applied {
            guard let migration = known[row.version] else { throw .newer(version: row.version, name: row.name) }
            guard migration.name == row.name, migration.digest == row.digest else {
                throw .edited(version: row.version)
            }
        }
        let versions = Set(applied.map(\.version))
        return migrations.filter { !versions.contains($0.version) }
    }

    // The lock belongs to the session, so that it goes with its connection. It is asked for again and again, because a
    // statement that waits would run into the statement timeout.
    private func lock(_ connection: PostgresConnection) async throws {
        let deadline = ContinuousClock.now + Self.lockWaitLimit
        while try await connection.execute(TryMigrationLock()).first != true {
            guard ContinuousClock.now < deadline else { throw MigrationError.locked }
            try await Task.sleep(for: Self.lockPollInterval)
        }
    }

    private func unlock(_ connection: PostgresConnection) async throws {
        _ = try await connection.execute(MigrationUnlock())
    }

    private static let makeTable = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            version    integer PRIMARY KEY,
            name       text NOT NULL,
            digest     bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
}

/// Why a schema cannot be brought to, or is not at, what this program needs.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
    case newer(version: Int, name: String)
    case older(pending: [Int])
    case edited(version: Int)
    case locked

    /// For an operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .newer(let version, let name):
            "the database is newer than this program: it holds migration \(version) (\(name)); use a newer card-companion"
        case .older(let pending):
            "the database lacks migrations \(pending.map(String.init).joined(separator: ", ")): run 'card-companion migrate'"
        case .edited(let version):
            "migration \(version) in the database is not the one of this program: the file was changed after it landed"
        case .locked:
            "another migration has been running for \(MigrationRunner.lockWaitLimit): see whether it is stuck"
        }
    }
}

/// A migration that the database says it has.
struct AppliedMigration: Sendable {
    let version: Int
    let name: String
    let digest: [UInt8]
}

private struct SelectAppliedMigrations: PostgresStatement {
    static let sql = "SELECT version, name, digest FROM schema_migration ORDER BY version"

    func bind(_ parameters: inout PostgresParameters) {}

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> AppliedMigration {
        AppliedMigration(
            version: Int(try row.decode(0, as: Int32.self)), name: try row.decode(1, as: String.self),
            digest: try row.decode(2, as: [UInt8].self))
    }
}

private struct InsertAppliedMigration: PostgresStatement {
    let migration: Migration

    static let sql = "INSERT INTO schema_migration (version, name, digest) VALUES ($1, $2, $3)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(Int32(clamping: migration.version))
        parameters.append(migration.name)
        parameters.append(migration.digest)
    }
}

private let migrationLockKey: Int64 = 0x6361_7264_636F_6D70

private struct TryMigrationLock: PostgresStatement {
    static let sql = "SELECT pg_try_advisory_lock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Bool {
        try row.decode(0, as: Bool.self)
    }
}

private struct MigrationUnlock: PostgresStatement {
    static let sql = "SELECT pg_advisory_unlock($1)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(migrationLockKey)
    }
}
