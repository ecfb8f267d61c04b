import Foundation
import ServerHarness
import Testing

@testable import CardCompanionStore

/// What the audit trail says about operators' commands, in words that stay.
@Suite("Words of the audit trail")
struct AuditWordTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// Only servers call these, outside of commands.
    private static let ofServers: Set = [
        "endIdentitySession", "fail", "reportServerVault", "deleteServerVault", "reportAuditSeal",
        "insertPANDigestKey",
    ]

    /// The store's functions that run a statement which changes rows.
    private static func writes() throws -> (all: Set<String>, changing: Set<String>) {
        let folder = root.appending(path: "Sources/Server/CardCompanionStore")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var (all, changing): (Set<String>, Set<String>) = ([], [])
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "\n    }\n") {
                guard let start = part.firstMatch(of: #/\n    (?:package )?func /#) else { continue }
                let body = part[start.range.upperBound...]
                let name = String(body.prefix { $0.isLetter || $0.isNumber })
                all.insert(name)
                guard body.contains("statements.execute(") || body.contains("statements.batch(") else { continue }
                if ["INSERT", "UPDATE", "DELETE"].contains(where: { body.contains($0) }) { changing.insert(name) }
            }
        }
        return (all, changing)
    }

    @Test("Each write of the store has a word, and each word has a write")
    func complete() throws {
        let (all, changing) = try Self.writes()
        let named = Set(AuditWords.ofWrites.keys)
        #expect(changing.count > 30)
        #expect(changing.subtracting(named).subtracting(Self.ofServers) == [])
        #expect(named.subtracting(all) == [])
    }

    @Test("docs/audit.md has each word")
    func documented() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/audit.md"), encoding: .utf8)
        let documented = Set(text.matches(of: #/`([a-z-]+\.[a-z-]+)`/#).map { String($0.1) })
        #expect(Set(AuditWords.ofWrites.values).subtracting(documented) == [])
    }

    @Test("An entry says what was changed, before and after; a command that was refused has none")
    func effect() async throws {
        let installation = try await TestInstallation()
        try await installation.run(["bank", "add", "WORDS", "--scheme", "CB"]).succeeded()
        try await installation.run(["bank", "set", "WORDS", "--retry-limit", "4", "--reminders", "true"]).succeeded()
        let file = try TestFolder.shared.write(Unique.key(byteCount: 32), named: "hmac")
        let key = ["--bank", "WORDS", "--label", "first"]
        let kcv = try JSON(
            parsing: try await installation.run(
                ["key", "import-hmac", "--usage", "distribution", "--hex-file", file, "--json"] + key
            ).succeeded().stdout
        ).object?["kcv"]?.string
        try await installation.run(["key", "disable", "--bank", "WORDS", "first"]).succeeded()
        #expect(try await installation.run(["key", "disable", "--bank", "WORDS", "second"]).status == 66)
        #expect(try await installation.run(["certificate", "disable", "--bank", "WORDS", "none"]).status == 66)
        let entries = try await installation.sql(
            """
            SELECT operation, outcome, detail FROM audit_entry WHERE bank_id = 'WORDS' AND operation <> 'bank add'
                AND outcome <> 'data-key.uses-counted'
            ORDER BY occurred_at
            """)
        #expect(
            entries == [
                "bank set|bank.settings-changed|retryLimit 3 -> 4; reminders false -> true",
                "key import-hmac|key.added|first; distribution, KCV \(try #require(kcv))",
                "key disable|key.status-changed|first; status ACTIVE -> DISABLED",
            ])
        let words = try await installation.sql("SELECT DISTINCT outcome FROM audit_entry WHERE actor LIKE 'operator:%'")
        #expect(Set(words).isSubset(of: AuditWords.ofWrites.values))
    }
}
