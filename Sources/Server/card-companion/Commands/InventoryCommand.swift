import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import DualControl

struct InventoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inventory",
        abstract: "Shows what servers rely on, and goes on with an older version after a restore.",
        subcommands: [Show.self, Servers.self, Accept.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows the newest version: each key, certificate and setting that servers accept.",
            discussion: """
                What is not in it does not count, whatever the database has. Without --bank it shows the \
                installation's own part, with the version of each bank's.

                EXAMPLES
                  card-companion inventory show
                  card-companion inventory show --bank MYBANK --json
                """)

        @Option(help: "The bank whose part is shown.")
        var bank: Identifier?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let part = try await Installation.run(options) { [bank] installation in
                guard let newest = try await installation.inventory() else { throw InventoryCommand.none }
                guard let bank else { return newest }
                guard let part = try await installation.inventory(of: bank) else {
                    throw CommandError.notFound("the inventory has no bank '\(bank)'")
                }
                return part
            }
            let report = Report(part)
            let rows = report.entries.map { [$0.kind, $0.name, $0.value, $0.approval ?? ""] }
            try Terminal.show(
                "version \(part.mark.text)\n\n" + TextTable.text(["KIND", "NAME", "VALUE", "APPROVAL"], rows),
                json: report,
                asJSON: output.json)
        }

        private struct Report: Encodable {
            struct Entry: Encodable {
                let kind: String
                let name: String
                let value: String
                let approval: String?
            }

            let version: String
            /// Nil: the installation.
            let bank: String?
            let entries: [Entry]

            init(_ inventory: Inventory) {
                version = inventory.mark.text
                bank = inventory.scope?.text
                entries = inventory.entries.sorted { $0.key < $1.key }.map { name, entry in
                    Entry(kind: name.kind.rawValue, name: name.name, value: entry.value, approval: entry.approvalId)
                }
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Goes on with the version in the database, although a newer one was known.",
            discussion: """
                The vault keeps number and hash of the newest version, so that nobody who can write to the database \
                can go back to an older one. After the restore of a backup that is what you want: name both versions, \
                as 'doctor' or the log says. What commands have changed after the backup no longer counts: make these \
                changes again. Under dual control two operators must sign.

                EXAMPLE
                  card-companion inventory accept --lost 57:9f86… --found 51:0b82… \\
                      --reason 'the backup of Sunday was restored'
                """)

        @Option(help: "The version that is given up: its number and its hash in hex.")
        var lost: String
        @Option(help: "The version in the database: its number and its hash in hex.")
        var found: String
        @Option(help: "The reason, in one line.")
        var reason: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard 1...200 ~= reason.utf8.count else { throw ValidationError("--reason must have 1 to 200 bytes.") }
        }

        func run() async throws {
            let (lost, found) = (try Self.version(lost, of: "--lost"), try Self.version(found, of: "--found"))
            try await AcceptInventory(lost: lost, found: found, reason: reason).run(options, signer, output)
        }

        private static func version(_ text: String, of option: String) throws -> Mark {
            guard let mark = Mark(text) else {
                throw CommandError.badInput("\(option) must be a version's number and its hash in hex: 57:9f86d0…")
            }
            return mark
        }
    }
}
