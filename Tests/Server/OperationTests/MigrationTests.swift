import Foundation
import ServerHarness
import Testing

@Suite("Migrations")
struct MigrationTests {
    private static let migrations = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "migrations")

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: migrations.appending(path: folder).path)
            .filter { $0.hasSuffix(".sql") }.map { String($0.dropLast(4)) }.sorted()
    }

    /// An installation with an empty database.
    private func empty() async throws -> TestInstallation {
        let installation = try await TestInstallation()
        try await installation.sql("DROP SCHEMA card_companion CASCADE")
        return installation
    }

    @Test("Every file is applied, and a second run has nothing to do")
    func all() async throws {
        let installation = try await empty()
        _ = try await installation.run(["migrate"]).succeeded()
        let migrations = try await installation.sql("SELECT name FROM schema_migration ORDER BY name")
        #expect(try migrations == Self.files(in: "").filter { $0 != "grants" })
        let functions = try await installation.sql("SELECT name FROM schema_function ORDER BY name")
        #expect(try functions == Self.files(in: "functions"))
        #expect(try await installation.run(["migrate"]).succeeded().stdout == "up to date\n")
    }

    @Test("Each function of the database is defined once, in a file of its own name")
    func functions() async throws {
        let installation = try await TestInstallation()
        let defined = try await installation.sql(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'card_companion'::regnamespace ORDER BY proname")
        #expect(try defined == Self.files(in: "functions"))
    }

    @Test("Every table's key starts with the bank, except in tables of the installation")
    func keys() async throws {
        let installation = try await TestInstallation()
        let others = try await installation.sql(
            """
            SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
            WHERE indisprimary AND relnamespace = 'card_companion'::regnamespace AND attname <> 'bank_id'
            ORDER BY relname
            """)
        #expect(
            others == [
                "approval", "audit_entry", "audit_head", "audit_seal", "data_key",
                "data_key_wrapping", "document_client", "inventory", "issuer_key_owner", "key_identity", "master_key",
                "proposed_change", "resealing", "schema_function", "schema_migration",
                "schema_state",
                "seal_key", "server_key", "server_vault", "trust_list", "trust_revocation_list",
            ])
    }

    @Test("If several migrations run at once, one applies the files, the others wait, and all succeed")
    func together() async throws {
        let installation = try await empty()
        let results = try await withThrowingTaskGroup(of: CommandResult.self) { group in
            for _ in 0..<4 { group.addTask { try await installation.run(["migrate", "--json"]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0.status == 0 })
        #expect(results.filter { $0.stdout != "[]\n" }.count == 1)
    }

    @Test("A first migration that stopped half-way is continued by the next one")
    func halfWay() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            "DELETE FROM schema_state; DELETE FROM schema_function; DROP FUNCTION fetch_pin, number_events")
        #expect(try await installation.run(["bank", "list"]).status == 78)
        _ = try await installation.run(["migrate"]).succeeded()
        _ = try await installation.run(["bank", "list"]).succeeded()
    }

    @Test("Grants that were changed in the program are applied again")
    func changedGrants() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            "UPDATE schema_state SET grants_digest = ''; REVOKE SELECT ON bank FROM card_companion_service")
        #expect(try await installation.run(["migrate"]).succeeded().stdout == "applied grants\n")
        _ = try await installation.run(["bank", "list"]).succeeded()
    }

    @Test("A database where the schema 'public' is closed to everybody is served")
    func closedPublic() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        _ = try await installation.run(["bank", "list"]).succeeded()
    }

    @Test("A role without access to the schema gets an error that says what to do")
    func noAccess() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("REVOKE USAGE ON SCHEMA card_companion FROM card_companion_service")
        let result = try await installation.run(["bank", "list"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("GRANT card_companion_service TO"))
    }

    @Test("A function that has changed is applied again; the database of a current program is left alone")
    func changedFunction() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            """
            UPDATE schema_function SET digest = '\\x00' WHERE name = 'number_events';
            CREATE OR REPLACE FUNCTION number_events(p_bank_id text, p_limit integer) RETURNS void LANGUAGE sql AS '';
            """)
        let refused = try await installation.run(["bank", "list"])
        #expect(refused.status == 78)
        #expect(refused.stderr.contains("number_events") && refused.stderr.contains("card-companion migrate"))
        #expect(try await installation.run(["migrate"]).succeeded().stdout == "applied number_events\n")
        let source = try await installation.sql(
            "SELECT prosrc ~ 'position' FROM pg_proc WHERE proname = 'number_events'")
        #expect(source == ["t"])
    }

    @Test("A newer database is served if it allows this program: migrate applies nothing, and serve listens")
    func newer() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            """
            UPDATE schema_state SET schema_version = 999, oldest_program = 1;
            INSERT INTO schema_migration (name, digest) VALUES ('0999_later', '');
            UPDATE schema_function SET digest = '' WHERE name = 'fetch_pin';
            """)
        #expect(try await installation.run(["migrate"]).succeeded().stdout == "up to date\n")
        #expect(try await installation.sql("SELECT schema_version FROM schema_state") == ["999"])
        let server = try await installation.startServer()
        try await server.stop()
    }

    @Test("A database that needs a newer program is refused, by migrate and by serve")
    func programTooOld() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("UPDATE schema_state SET schema_version = 999, oldest_program = 998")
        for command in ["migrate", "serve"] {
            let result = try await installation.run([command])
            #expect(result.status == 78)
            #expect(result.stderr.contains("too old"))
        }
    }

    @Test("A migration that was edited after it was applied is refused")
    func edited() async throws {
        let installation = try await TestInstallation()
        try await installation.sql("UPDATE schema_migration SET digest = '\\x00'")
        let result = try await installation.run(["migrate"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("migration 0001_baseline"))
    }

    @Test("A database with a schema from before the first release is refused")
    func unreleased() async throws {
        let installation = try await empty()
        try await installation.sql(
            "CREATE TABLE public.schema_migration (version integer); CREATE TABLE public.cardholder (unique_id text)")
        let result = try await installation.run(["migrate"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("before the first release"))
        #expect(try await installation.sql("SELECT to_regnamespace('card_companion') IS NULL") == ["t"])
    }

    @Test("A server does not serve a database without migrations, and says what to do")
    func older() async throws {
        let installation = try await empty()
        let result = try await installation.run(["serve"])
        #expect(result.status == 78)
        #expect(result.stderr.contains("card-companion migrate"))
    }

    @Test(
        "The serving role can neither alter nor drop, nor change the record of the schema",
        arguments: [
            "DROP TABLE cardholder", "ALTER TABLE cardholder ADD COLUMN x text", "TRUNCATE cardholder",
            "CREATE TABLE card_companion.x (a text)", "DROP FUNCTION number_events",
            "DROP SCHEMA card_companion CASCADE",
            "UPDATE schema_state SET oldest_program = 0", "DELETE FROM schema_migration",
            "CREATE OR REPLACE FUNCTION number_events(p_bank_id text, p_limit integer) RETURNS void LANGUAGE sql AS ''",
        ])
    func servingRole(statement: String) async throws {
        let installation = try await TestInstallation()
        let error = await #expect(throws: (any Error).self) { try await installation.sqlAsServer(statement) }
        #expect("\(try #require(error))".contains(/permission denied|must be owner/))
    }
}
