import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Foundation

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows, exports and verifies the audit trail: who did what, when, and how it ended.",
        subcommands: [Show.self, Export.self, Keys.self, Verify.self, Close.self, NewEpoch.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows the newest entries.",
            discussion: """
                Entries name cardholders by pseudonyms. With --cardholder, the command opens the vault, and shows only \
                the entries about that cardholder.

                EXAMPLES
                  card-companion audit show --bank MYBANK --operation fetch
                  card-companion audit show --bank MYBANK --cardholder 4711 \\
                      --from 2026-11-01T00:00:00Z
                """)

        @Option(help: "Only entries of this bank.")
        var bank: Identifier?
        @Option(help: "Only entries about this cardholder. Needs --bank.")
        var cardholder: Identifier?
        @Option(
            help:
                "Only entries of this operation: fetch, notify, define, write-cardholder, delete-cardholder, import, or a command."
        )
        var operation: String?
        @Option(help: "Only entries from this time on (ISO 8601).", transform: AuditCommand.time)
        var from: Timestamp?
        @Option(help: "Only entries before this time (ISO 8601).", transform: AuditCommand.time)
        var to: Timestamp?
        @Option(help: "The maximum number of entries (1 to 10000).")
        var limit = 100
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard cardholder == nil || bank != nil else { throw ValidationError("--cardholder needs --bank.") }
            guard 1...10_000 ~= limit else { throw ValidationError("--limit must be 1 to 10000.") }
        }

        func run() async throws {
            let base = AuditFilter(from: from, to: to, bankId: bank, operation: operation)
            let entries = try await Installation.run(options) { [bank, cardholder, limit] installation in
                var filter = base
                if let bank, let cardholder {
                    filter.subjects = try await installation.withKeyring {
                        try $0.pseudonyms(bankId: bank, uniqueId: cardholder)
                    }
                }
                return try await installation.store.auditEntries(filter, limit: limit)
            }
            let table = TextTable.text(
                ["TIME", "OPERATION", "OUTCOME", "BANK", "CARDHOLDER", "ACTOR", "DETAIL"],
                entries.map(AuditLine.init).map {
                    [$0.time, $0.operation, $0.outcome, $0.bankId ?? "", $0.subject ?? "", $0.actor, $0.detail ?? ""]
                })
            try Terminal.show(table, json: entries.map(AuditLine.init), asJSON: output.json)
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Writes entries and seals as lines of JSON, for a SIEM or an auditor.",
            discussion: """
                The lines have everything that hashes and signatures cover (docs/audit.md), so that an auditor can \
                verify them without this program: examples/verify_audit.py does.

                With --cursor-file, each run continues where the last one ended. The file is replaced after the lines \
                are written, so after an interruption a line can appear twice, but no line is left out. With --follow, \
                the command runs until you stop it. The command only reads, and servers do not wait for it.

                EXAMPLES
                  card-companion audit export > audit.ndjson
                  card-companion audit export --cursor-file siem.cursor --follow \\
                      | logger --tag card-companion
                """)

        @Option(help: "The file that records how far the last run got.")
        var cursorFile: String?
        @Flag(help: "Continue with new entries until the command is stopped.")
        var follow = false
        @OptionGroup var options: ConfigurationOptions

        private static let pause = Duration.seconds(2)

        func run() async throws {
            let (path, follow) = (cursorFile, follow)
            try await Installation.run(options) { installation in
                var export = AuditExport(installation.store, cursor: try AuditCursor.read(path))
                while true {
                    try await export.writeNew()
                    try export.cursor.save(path)
                    guard follow else { return }
                    try await Task.sleep(for: Self.pause)
                }
            }
        }
    }
}

extension AuditCommand {
    /// Reads a time in ISO 8601.
    static func time(_ text: String) throws -> Timestamp {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("'\(text)' is not a time: use for example 2026-11-01T00:00:00Z.")
        }
        return Timestamp(seconds: Int64(date.timeIntervalSince1970))
    }
}
