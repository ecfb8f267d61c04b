import CardCompanionModel
import Testing

@testable import CardCompanionStore

@Suite("Schema plan")
struct SchemaPlanTests {
    private static let schema = Schema(
        version: 3, oldestProgram: 2, migrations: [file("0001_baseline"), file("0002_more")],
        functions: [file("f"), file("g")], grants: file("grants"))

    private static func file(_ name: String, _ text: String = "SELECT") -> Schema.File {
        Schema.File(name, Array("\(name) \(text)".utf8))
    }

    private static func applied(_ files: [Schema.File]) -> [DatabaseSchema.AppliedFile] {
        files.map { DatabaseSchema.AppliedFile(name: $0.name, digest: $0.digest) }
    }

    /// A database that this program has migrated.
    private var current: DatabaseSchema {
        DatabaseSchema(
            version: 3, oldestProgram: 2, migrations: Self.applied(Self.schema.migrations),
            functions: Self.applied(Self.schema.functions), grants: Self.schema.grants.digest)
    }

    private func names(_ database: DatabaseSchema) throws -> [String] {
        let plan = try SchemaPlan(for: database, Self.schema)
        #expect(plan.isEmpty == plan.names.isEmpty)
        return plan.names
    }

    @Test("An empty database gets all files, in order")
    func empty() throws {
        #expect(try names(DatabaseSchema()) == ["0001_baseline", "0002_more", "f", "g", "grants"])
    }

    @Test("A current database gets nothing")
    func upToDate() throws {
        #expect(try names(current).isEmpty)
    }

    @Test("A database of an older program gets the missing migrations and the changed functions")
    func older() throws {
        var database = current
        (database.version, database.oldestProgram) = (2, 1)
        database.migrations.removeLast()
        database.functions = Self.applied([Self.file("f"), Self.file("g", "SELECT 1"), Self.file("gone")])
        #expect(try names(database) == ["0002_more", "g", "grants"])
    }

    @Test("A first migration that stopped half-way is continued, not repeated")
    func halfWay() throws {
        var database = DatabaseSchema()
        database.migrations = Self.applied([Self.file("0001_baseline")])
        #expect(try names(database) == ["0002_more", "f", "g", "grants"])
    }

    @Test("Changed grants, and a changed oldest program, are applied alone")
    func grants() throws {
        var database = current
        database.grants = [0]
        #expect(try names(database) == ["grants"])
        database = current
        database.oldestProgram = 1
        #expect(try names(database) == ["grants"])
    }

    @Test("A migration that this program does not have is refused")
    func unknown() throws {
        var database = current
        database.migrations += Self.applied([Self.file("0003_later")])
        #expect(throws: SchemaError.unknownMigration(name: "0003_later")) { try names(database) }
    }

    @Test("A newer database is served as it is if it allows this program, and refused otherwise")
    func newer() throws {
        var database = current
        database.version = 5
        database.oldestProgram = 3
        database.migrations += Self.applied([Self.file("0003_later")])
        database.functions = []
        #expect(try names(database).isEmpty)
        database.oldestProgram = 4
        #expect(throws: SchemaError.programTooOld(program: 3, oldest: 4)) { try names(database) }
    }

    @Test("A migration that was edited after it was applied is refused")
    func edited() throws {
        var database = current
        database.migrations = Self.applied([Self.file("0001_baseline", "SELECT 1")])
        #expect(throws: SchemaError.edited(name: "0001_baseline")) { try names(database) }
    }

    @Test("A schema from before the first release is refused")
    func unreleased() throws {
        #expect(throws: SchemaError.unreleased) { try names(DatabaseSchema(isUnreleased: true)) }
    }
}
