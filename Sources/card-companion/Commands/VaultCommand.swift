import ArgumentParser
import CardCompanion
import CardCompanionStore

struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Replaces the data keys, which seal the secrets in the database.",
        discussion: "The vault's master key wraps the data keys.",
        subcommands: [Status.self, RotateDataKey.self, RetireDataKey.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the data keys, and how far the servers have come with sealing values anew.",
            discussion: "EXAMPLE\n  card-companion vault status")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (keys, columns) = try await Installation.run(options) { installation in
                let records = try await installation.store.dataKeys()
                let resealing = try await installation.store.resealing()
                let now = installation.clock.now()
                return (
                    records.map { KeyReport($0, among: records, now: now) },
                    KeyedColumn.all(of: .seal).compactMap { ColumnReport($0, records, resealing, now: now) }
                )
            }
            let table = Terminal.table(
                ["KEY", "PURPOSE", "STATUS", "FROM", "SEALED"],
                keys.map { ["\($0.id)", $0.purpose, $0.status, $0.activeFrom, "\($0.uses)"] })
            let progress = columns.map { "\($0.column): \($0.text)" }
            try Terminal.show(
                ([table] + progress).joined(separator: "\n"), json: Report(keys: keys, columns: columns),
                asJSON: output.json)
        }
    }

    struct RotateDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates new data keys. Running servers seal the values in the database with them.",
            discussion: """
                Servers use a new key after \(DataKeys.activationSeconds) seconds: each of them has it by then. One minute \
                later they begin to seal the old values anew, and go on after a restart. 'vault status' shows how far they \
                are. Codes cannot be made anew: a code changes to the new key when the bank sends it again, or when the \
                cardholder uses it.

                EXAMPLES
                  card-companion vault rotate-data-key
                  card-companion vault rotate-data-key --purpose seal
                """)

        @Option(help: "seal (PINs and keys), authenticate (codes and tokens) or hand-out (keypads). Default: all.")
        var purpose: DataKeyPurpose?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let purposes = purpose.map { [$0] } ?? DataKeyPurpose.allCases
            let action = AdminAction(
                command: "vault rotate-data-key", subject: purposes.map(\.rawValue).joined(separator: ", "))
            let made = try await Installation.run(options, action: action) { installation in
                var made: [Int32] = []
                for purpose in purposes {
                    guard let id = try await installation.dataKeys.rotate(purpose) else {
                        throw CommandError.refused(
                            "the newest data key for '\(purpose.rawValue)' is not used yet: see 'card-companion vault "
                                + "status'")
                    }
                    made.append(id)
                }
                return made
            }
            try Terminal.show(
                "new data keys: \(made.map { "\($0)" }.joined(separator: ", ")); running servers use them in "
                    + "\(DataKeys.activationSeconds) seconds",
                json: ["dataKeys": made], asJSON: output.json)
        }
    }

    struct RetireDataKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases a data key that was replaced, if no value in the database needs it.",
            discussion: "EXAMPLE\n  card-companion vault retire-data-key 1")

        @Argument(help: "The key's number, as in the status.")
        var key: Int32
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let action = AdminAction(command: "vault retire-data-key", subject: "\(key)")
            try await Installation.run(options, action: action) { [key] installation in
                try await installation.dataKeys.retire(key)
            }
            try Terminal.show("retired data key \(key)", json: ["dataKey": key], asJSON: output.json)
        }
    }

    private struct Report: Encodable {
        let keys: [KeyReport]
        let columns: [ColumnReport]
    }

    private struct KeyReport: Encodable {
        let id: Int32
        let purpose: String
        /// `next`, `active`, `replaced` or `retired`.
        let status: String
        let activeFrom: String
        let uses: Int64

        init(_ key: DataKeyRecord, among keys: [DataKeyRecord], now: Timestamp) {
            id = key.id
            purpose = key.purpose.rawValue
            activeFrom = key.activeFrom.text
            uses = key.uses
            let activeId = keys.active(key.purpose, now)?.id ?? 0
            status =
                key.wrappedKey == nil
                ? "retired" : key.id == activeId ? "active" : key.id > activeId ? "next" : "replaced"
        }
    }

    private struct ColumnReport: Encodable {
        let column: String
        let dataKey: Int32
        /// `waiting`, `under way` or `finished`.
        let status: String
        let afterBankId: String?
        let afterRow: String?

        var text: String {
            guard let afterBankId, let afterRow else { return "\(status) (data key \(dataKey))" }
            return
                "\(status) (data key \(dataKey)), done up to \(afterRow)\(afterBankId.isEmpty ? "" : " of bank \(afterBankId)")"
        }

        /// Nil if there was no rotation.
        init?(
            _ column: KeyedColumn, _ keys: [DataKeyRecord], _ resealing: [ResealingRecord], now: Timestamp
        ) {
            guard let key = keys.active(.seal, now), key.replaces != nil else { return nil }
            self.column = column.rawValue
            dataKey = key.id
            let record = resealing.first { $0.column == column && $0.dataKeyId == key.id }
            status = record.map { $0.isFinished ? "finished" : "under way" } ?? "waiting"
            let isUnderWay = record.map { !$0.isFinished && $0.after != .start } ?? false
            afterBankId = isUnderWay ? record?.after.bankId : nil
            afterRow = isUnderWay ? record?.after.rowId : nil
        }
    }
}
