import Foundation
import ServerHarness
import Testing

/// Every command that changes something writes two lines of the audit trail, before and after it.
@Suite("Audit trail of the commands")
struct AuditTrailTests {
    private static let installation = Once { try await TestInstallation() }

    @Test("A command that changes something says who ran it, on what, and how it ended")
    func changes() async throws {
        let bank = Unique.name("bank")
        let key = try TestFolder.shared.write(Unique.key(byteCount: 32), named: "key.hex")
        let holders = try TestFolder.shared.write(#"{"uniqueId":"one"}"#, named: "cardholders.ndjson")
        let commands: [(arguments: [String], operation: String, subject: String?)] = [
            (["bank", "add", bank, "--scheme", "CB"], "bank add", nil),
            (["bank", "set", bank, "--retry-limit", "4"], "bank set", nil),
            (
                [
                    "key", "import-hmac", "--bank", bank, "--usage", "distribution", "--hex-file", key, "--label",
                    "2027",
                ],
                "key import-hmac", "2027"
            ),
            (["key", "disable", "--bank", bank, "2027"], "key disable", "2027"),
            (["key", "enable", "--bank", bank, "2027"], "key enable", "2027"),
            (["cardholder", "import", "--bank", bank, holders], "cardholder import", holders),
            (["cardholder", "unlock", "--bank", bank, "one"], "cardholder unlock", "one"),
            (["cardholder", "set-status", "--bank", bank, "one", "SUSPENDED"], "cardholder set-status", "one"),
            (["webhook", "set", "--bank", bank, "https://hooks.bank.example/secret"], "webhook set", nil),
            (["webhook", "disable", "--bank", bank], "webhook disable", nil),
        ]
        for (arguments, operation, subject) in commands {
            let line = try await auditLine(of: arguments, status: 0)
            #expect(line.contains(" operation=\"\(operation)\" "))
            #expect(line.contains(" outcome=done "))
            #expect(line.contains(" bank_id=\"\(bank)\" "))
            #expect(line.contains(" os_user=\"\(NSUserName())\" "))
            #expect(line.contains(" host=\"\(ProcessInfo.processInfo.hostName)\" "))
            #expect(line.contains(" terminal="))
            #expect(subject.map { line.contains(" subject=\"\($0)\" ") } ?? !line.contains("subject="))
            #expect(!line.contains("a7a7") && !line.contains("secret"))
        }
        #expect(try await auditLine(of: ["migrate"], status: 0).contains(" operation=migrate "))
        #expect(
            try await auditLine(of: ["server-key", "rotate"], status: 0).contains(" operation=\"server-key rotate\" "))
    }

    @Test("A command that changes something and fails is recorded too")
    func failures() async throws {
        let line = try await auditLine(of: ["key", "disable", "--bank", "nobody", "none"], status: 66)
        #expect(line.contains(#" operation="key disable" "#) && line.contains(" outcome=failed "))
        let unlock = try await auditLine(of: ["cardholder", "unlock", "--bank", "nobody", "one"], status: 66)
        #expect(unlock.contains(" outcome=failed "))
    }

    @Test("A command that changes nothing writes no line")
    func reading() async throws {
        for arguments in [["bank", "list"], ["server-key", "list"], ["key", "list", "--bank", "nobody"]] {
            let result = try await Self.installation.value.run(arguments)
            #expect(!result.stderr.contains("trail=audit"))
        }
    }

    @Test("At a terminal a command shows its answer and no lines of the log")
    func terminal() async throws {
        let installation = try await Self.installation.value
        let bank = Unique.name("bank")
        let result = try await TestCommand.run(
            "python3",
            [
                "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", CardCompanionBinary.path, "bank",
                "add", bank,
                "--scheme", "CB",
            ], environment: installation.environment
        ).succeeded()
        #expect(result.stdout.contains(bank))
        #expect(!result.stdout.contains("trail=audit") && !result.stderr.contains("trail=audit"))
        let entries = try await installation.sql("SELECT operation FROM audit_entry WHERE bank_id = '\(bank)'")
        #expect(entries.contains("bank add"))
    }

    @Test("A name cannot forge another part of the line, and a card number is not repeated")
    func hostileNames() async throws {
        let names = ["x\" outcome=done trail=\"audit", "4111111111111111"]
        for name in names {
            let line = try await auditLine(of: ["key", "disable", "--bank", "nobody", name], status: 66)
            #expect(!line.contains("outcome=done") || line.contains(#"\u{22} outcome=done"#))
            #expect(!line.contains("4111111111111111"))
        }
    }

    private func auditLine(of arguments: [String], status: Int32) async throws -> String {
        let result = try await Self.installation.value.run(arguments)
        #expect(result.status == status, "\(arguments): \(result.stderr)")
        let lines = result.stderr.split(separator: "\n").map(String.init).filter { $0.contains("trail=audit") }
        try #require(lines.count == 2, "\(arguments): \(result.stderr)")
        #expect(lines[0].contains(" outcome=begun "))
        return lines[1]
    }
}
