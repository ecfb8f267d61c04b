import Foundation
import ServerHarness
import Testing

@Suite("Migrations")
struct MigrationTests {
    private static let migrations = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "migrations")

    /// An installation whose database holds nothing.
    private func empty() async throws -> TestInstallation {
        let installation = try await TestInstallation()
        try await installation.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return installation
    }

    @Test("Every file is applied, in order, and a second run finds nothing to do")
    func all() async throws {
        let installation = try await empty()
        _ = try await installation.run(["migrate"]).succeeded()
        let applied = try await installation.sql(
            "SELECT lpad(version::text, 4, '0') || '_' || name || '.sql' FROM schema_migration ORDER BY version")
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.migrations.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(applied == files)
        #expect(try await installation.run(["migrate"]).succeeded().stdout == "up to date\n")
    }

    @Test("Of several at once one works, the others wait, and all end well")
    func together() async throws {
        let installation = try await empty()
        let results = try await withThrowingTaskGroup(of: CommandResult.self) { group in
            for _ in 0..<4 { group.addTask { try await installation.run(["migrate", "--json"]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0.status == 0 })
        #expect(results.filter { $0.stdout != "[]\n" }.count == 1)
    }

    @Test("A database that is newer than the program is refused, by migrate and by serve")
    func newer() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("INSERT INTO schema_migration (version, name, digest) VALUES (999, 'later', '')")
        for command in ["migrate", "serve"] {
            let result = try await installation.run([command])
            #expect(result.status == 78)
            #expect(result.stderr.contains("migration 999 (later)"))
        }
    }

    @Test("A migration that was changed after it was applied is refused")
    func edited() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("UPDATE schema_migration SET digest = '\\x00' WHERE version = 1")
        let result = try await installation.run(["migrate"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("migration 1"))
    }

    @Test("A server does not serve a database that lacks migrations, and says which")
    func older() async throws {
        let installation = try await empty()
        let result = try await installation.run(["serve"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("card-companion migrate"))
    }
}
