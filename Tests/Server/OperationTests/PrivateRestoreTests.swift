import Foundation
import ServerHarness
import Testing

@Suite("A restored private database")
struct PrivateRestoreTests {
    private let data = TestFolder.shared.unused("data")
    private let backup = TestFolder.shared.unused("backup")
    private let vault = TestFolder.shared.unused("backup-vault")
    private let restored = TestFolder.shared.unused("restored")

    private func run(_ arguments: String..., in folder: String) async throws -> CommandResult {
        try await TestCommand.run(CardCompanionBinary.path, arguments + ["--data-directory", folder])
    }

    private func serve(_ folder: String) async throws -> TestServer {
        try await TestServer.withPrivateDatabase(["--data-directory", folder])
    }

    /// The commands of docs/operations.md, with the places of this test.
    private func documentedCommands() async throws -> String {
        let file = URL(filePath: #filePath).appending(path: "../../../../docs/operations.md").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var commands = lines.drop { !$0.hasPrefix("The private database has the first one already.") }
            .drop { !$0.hasPrefix("    ") }
            .prefix { $0.hasPrefix("    ") }.map(String.init)
        try #require(commands.count > 2, "docs/operations.md has no commands after that sentence")
        // As a minute later.
        let psql = "psql -X -h \"$PWD/socket\" -U postgres -d card_companion"
        commands.insert("\(psql) -c 'DELETE FROM card_companion.server_vault'", at: commands.count - 1)
        let programs = try await TestCommand.run("pg_config", ["--bindir"]).succeeded().stdout
            .trimmingCharacters(in: .whitespacesAndNewlines)
        // As root, the server runs PostgreSQL as this user.
        let user = geteuid() == 0 ? "runuser -u postgres -- " : ""
        return commands.joined(separator: "\n")
            .replacing("/var/lib/card-companion-new", with: restored)
            .replacing("/usr/lib/postgresql/15/bin/pg_ctl", with: "\(user)\(programs)/pg_ctl")
            .replacing("card-companion migrate", with: "\(CardCompanionBinary.path) migrate")
            .replacing("/backup/cards-2026-12-01", with: backup)
            // Otherwise the shell's output stays open as long as the server.
            .replacing("-w start", with: "-w start > /dev/null 2>&1")
    }

    @Test("The commands of operations.md restore it, and a server serves it when it is told")
    func restore() async throws {
        let first = try await serve(data)
        _ = try await run("bank", "add", "KEPT", "--scheme", "CB", in: data).succeeded()
        _ = try await run("backup", "--out", backup, "--vault-out", vault, in: data).succeeded()
        try await first.stop()

        try await TestCommand.run("sh", ["-euc", documentedCommands()]).succeeded()
        for name in try FileManager.default.contentsOfDirectory(atPath: vault) {
            try FileManager.default.copyItem(atPath: "\(vault)/\(name)", toPath: "\(restored)/\(name)")
        }
        let refusal = await #expect(throws: ServerFailed.self) { _ = try await serve(restored) }
        #expect(refusal?.log.contains("'card-companion database restored --backup-time") == true)
        let record = try Data(contentsOf: URL(filePath: "\(backup)/backup.json"))
        let time = try #require(JSON(parsing: String(decoding: record, as: UTF8.self)).object?["time"]?.string)
        _ = try await run("database", "restored", "--backup-time", time, in: restored).succeeded()
        let second = try await serve(restored)
        let banks = try await run("bank", "list", in: restored).succeeded()
        #expect(banks.stdout.contains("KEPT"), "\(banks)")
        try await second.stop()
    }
}
