import Foundation
import ServerHarness
import Testing

/// Two versions serve one database during an upgrade. So what the last release prepares must prepare with the present schema,
/// and the servers' role must be allowed to run it. `Tests/Tools/Upgrade/record.py` records the statements.
@Suite("Recorded statements")
struct RecordedStatementTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tools/Upgrade/statements")

    /// One file for each recorded release. Before the first release there is none, and no folder.
    private static func files() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".sql") }.sorted()
    }

    /// In the form of a recorded file.
    private static let sample = """
        -- Table
        PREPARE recorded (text) AS
        SELECT key_id, algorithm FROM issuer_key WHERE bank_id = $1;
        EXPLAIN EXECUTE recorded (NULL);
        DEALLOCATE recorded;

        -- Function
        PREPARE recorded AS
        SELECT take_back_fetch(
            p_bank_id => $1, p_unique_id => $2, p_session_id => $3, p_transaction_digest => $4, p_hmac_digest => $5);
        EXPLAIN EXECUTE recorded (NULL, NULL, NULL, NULL, NULL);
        DEALLOCATE recorded;

        -- Right
        PREPARE recorded (text[]) AS
        SELECT id FROM approval WHERE id = ANY ($1);
        EXPLAIN EXECUTE recorded (NULL);
        DEALLOCATE recorded;

        """

    /// A file's statements. Each begins with a line that has its name, such as `-- SelectBank`.
    private static func statements(in text: String) -> [String] {
        text.components(separatedBy: "DEALLOCATE recorded;\n")
            .map { $0.trimmingCharacters(in: .newlines) }
            .filter { !$0.isEmpty }
    }

    /// What does not work any more, and why.
    private static func failures(of text: String, on installation: TestInstallation) async throws -> [String] {
        var failures: [String] = []
        for statement in statements(in: text) {
            do {
                _ = try await installation.sqlAsServer(statement)
            } catch {
                failures.append("\(statement)\n\(error)")
            }
        }
        return failures
    }

    @Test("Every statement of the last release works with the present schema", .enabled(if: !files().isEmpty))
    func lastRelease() async throws {
        let installation = try await TestInstallation()
        for file in Self.files() {
            let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
            #expect(try await Self.failures(of: text, on: installation) == [], "\(file)")
        }
    }

    @Test("A statement whose column, function or right is gone is found")
    func broken() async throws {
        let installation = try await TestInstallation()
        #expect(Self.statements(in: Self.sample).count == 3)
        #expect(try await Self.failures(of: Self.sample, on: installation) == [])
        try await installation.sql(
            """
            ALTER TABLE issuer_key RENAME COLUMN algorithm TO renamed;
            ALTER FUNCTION take_back_fetch RENAME TO renamed;
            REVOKE SELECT ON approval FROM card_companion_service;
            """)
        let failures = try await Self.failures(of: Self.sample, on: installation)
        for name in ["Table", "Function", "Right"] {
            #expect(failures.contains { $0.hasPrefix("-- \(name)\n") }, "\(name)")
        }
    }
}
