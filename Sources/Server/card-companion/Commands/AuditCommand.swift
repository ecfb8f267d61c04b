import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import Foundation
import HTTPSignatures

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows, exports and verifies the audit trail: who did what, when, and how it ended.",
        subcommands: [Show.self, Export.self, Verify.self, Close.self, NewEpoch.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the newest entries.",
            discussion: """
                Entries name cardholders by pseudonyms. With --cardholder, the command opens the vault, and shows only the entries
                about that cardholder.

                EXAMPLES
                  card-companion audit show --bank MYBANK --operation fetch
                  card-companion audit show --bank MYBANK --cardholder 4711 --from 2026-11-01T00:00:00Z
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
            abstract: "Writes entries and seals as lines of JSON, for a SIEM.",
            discussion: """
                With --cursor-file, each run continues where the last one ended. The file is replaced after the lines are
                written, so after an interruption a line can appear twice, but no line is left out. With --follow, the command
                runs until you stop it. The command only reads, and servers do not wait for it.

                EXAMPLES
                  card-companion audit export > audit.ndjson
                  card-companion audit export --cursor-file siem.cursor --follow | logger --tag card-companion
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

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds altered, dropped and reordered entries and seals.",
            discussion: """
                Entries that are newer than the last seal are counted, but nothing proves that none of them was removed. With
                --last-seal, the command also finds out whether the end was cut off. Take the seal's number and hash from a
                server's log or from an export that someone else keeps. The exit status is 1 if something is wrong.

                EXAMPLES
                  card-companion audit verify
                  card-companion audit verify --last-seal 4711:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                """)

        @Option(help: "A seal that must be in the trail: its number and its hash in hex.")
        var lastSeal: String?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        /// How many faults are told.
        private static let faultLimit = 20

        func run() async throws {
            let known = try lastSeal.map { text in
                guard let known = AuditVerifier.KnownSeal(text) else {
                    throw CommandError.badInput("--last-seal must be NUMBER:HASH, with the hash in hex")
                }
                return known
            }
            let report = try await Installation.run(options) { installation in
                try await installation.withSealKeys(signs: false) { keys in
                    let verifiers = try await keys.verifiers()
                    let verified = try await AuditVerifier.verified(installation.store, known: known, keys: verifiers)
                    return Report(verified, damagedRows: try await keys.damagedRows())
                }
            }
            try Terminal.show(report.text, json: report, asJSON: output.json)
            guard report.faults.isEmpty else { throw ExitCode(1) }
        }

        private struct Report: Encodable {
            let entries: Int
            let seals: Int64
            let unsealed: Int
            let faults: [String]
            let faultCount: Int
            let epochs: [Epoch]
            let signers: [Signer]
            /// Rows of keys with a value that does not open.
            let damagedRows: [String]

            struct Signer: Encodable {
                let keyId: String
                /// `token`, `recorded` (another token, as the database says) or `server`.
                let holder: String
                let firstSeal: Int64
                let seals: Int

                var text: String {
                    let whose =
                        switch holder {
                        case "token": "the token's key"
                        case "recorded":
                            "the key of another token (according to the database: check that the token is yours),"
                        default: "a server's key"
                        }
                    return "\(seals) seals since seal \(firstSeal) are signed by \(whose) \(keyId)"
                }
            }

            struct Epoch: Encodable {
                let epoch: Int32
                let seal: Int64
                let since: String
                let reason: String
                let leavesToken: Bool

                var text: String {
                    "epoch \(epoch) began at \(since) with seal \(seal): \(reason)"
                        + (leavesToken ? " (from here on, servers sign the seals instead of a token)" : "")
                }
            }

            init(_ verifier: AuditVerifier, damagedRows: [String]) {
                self.damagedRows = damagedRows
                entries = verifier.entryCount
                seals = verifier.sealCount
                unsealed = verifier.unsealedCount
                faults = verifier.faults.prefix(Verify.faultLimit).map(\.description)
                faultCount = verifier.faults.count
                signers = verifier.signers.values.sorted { $0.firstSeal < $1.firstSeal }.map {
                    Signer(keyId: $0.keyId, holder: $0.holder.rawValue, firstSeal: $0.firstSeal, seals: $0.seals)
                }
                epochs = verifier.epochs.map {
                    Epoch(
                        epoch: $0.number, seal: $0.seal, since: $0.sealedAt.text, reason: $0.reason,
                        leavesToken: $0.leavesToken)
                }
            }

            var text: String {
                let counts = "\(entries) entries, \(seals) seals; \(unsealed) entries are newer than the last seal"
                let damaged = damagedRows.map {
                    "WARNING: a value in the row \($0) was damaged or forged, and is not used"
                }
                let told = [counts] + signers.map(\.text) + epochs.map(\.text) + damaged
                guard faultCount > 0 else {
                    return (told + ["nothing was altered, dropped or reordered"]).joined(separator: "\n")
                }
                let more = faultCount > faults.count ? ["and \(faultCount - faults.count) more"] : []
                return (told + faults.map { "WRONG: \($0)" } + more).joined(separator: "\n")
            }
        }
    }

    struct NewEpoch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Adds a signed seal that begins a new epoch of the trail and says why, after the database was restored.",
            discussion: """
                A restored database lacks the entries since its backup, so it lacks seals that others may know. The seal of the new
                epoch shows where the trail continues after the restore.

                EXAMPLE
                  card-companion audit new-epoch --reason 'restored the backup of 2026-11-21 after a disk failure'
                """)

        @Option(help: "The reason, in one line.")
        var reason: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard 1...200 ~= reason.utf8.count else { throw ValidationError("--reason must have 1 to 200 bytes.") }
        }

        func run() async throws {
            let action = AdminAction(command: "audit new-epoch", subject: reason)
            let seal = try await Installation.run(options, action: action) { [reason] installation in
                try await installation.withSealKeys { keys in
                    try await AuditSeals(store: installation.store, keys: keys, clock: installation.clock)
                        .add(.epoch, note: reason)
                }
            }
            guard let seal else { throw CommandError.refused("a server has just added a seal: try again") }
            try Terminal.show(
                "epoch \(seal.epoch) begins with seal \(seal.number):\(Hex.encode(seal.hash))",
                json: ["seal": "\(seal.number)", "hash": Hex.encode(seal.hash), "epoch": "\(seal.epoch)"],
                asJSON: output.json)
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
