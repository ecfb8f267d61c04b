import Foundation
import ServerHarness
import Testing

/// Two versions serve one database during an upgrade. So what the last release prepares must prepare with the present schema,
/// and the servers' role must be allowed to run it. `Tests/Tools/Upgrade/record.py` records the statements.
@Suite("Recorded statements")
struct RecordedStatementTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tools/Upgrade/statements")

    /// One file for each recorded release.
    private static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }.sorted()
    }

    /// A file's statements. Each begins with a line that has its name, such as `-- SelectBank`.
    private static func statements(in file: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            .components(separatedBy: "DEALLOCATE recorded;\n")
            .map { $0.trimmingCharacters(in: .newlines) }
            .filter { !$0.isEmpty }
    }

    /// What does not work any more, and why.
    private static func failures(of file: String, on installation: TestInstallation) async throws -> [String] {
        var failures: [String] = []
        for statement in try statements(in: file) {
            do {
                _ = try await installation.sqlAsServer(statement)
            } catch {
                failures.append("\(statement)\n\(error)")
            }
        }
        return failures
    }

    @Test("Every statement of the last release works with the present schema")
    func lastRelease() async throws {
        let installation = try await TestInstallation()
        let files = try Self.files()
        #expect(!files.isEmpty)
        for file in files {
            #expect(try await Self.failures(of: file, on: installation) == [], "\(file)")
        }
    }

    @Test("A statement whose column, function or right is gone is found")
    func broken() async throws {
        let installation = try await TestInstallation()
        try await installation.sql(
            """
            ALTER TABLE issuer_key RENAME COLUMN algorithm TO renamed;
            ALTER FUNCTION take_back_fetch RENAME TO renamed;
            REVOKE SELECT ON approval FROM card_companion_service;
            """)
        let file = try #require(try Self.files().last)
        let failures = try await Self.failures(of: file, on: installation)
        for name in ["SelectIssuerKeysOfBank", "TakeBackFetch", "SelectApprovals"] {
            #expect(failures.contains { $0.hasPrefix("-- \(name)\n") }, "\(name)")
        }
    }
}
