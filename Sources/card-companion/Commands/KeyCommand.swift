import ArgumentParser
import CardCompanion
import CardCompanionStore
import Foundation
import SecureMemory

/// `card-companion key`.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "The keys that banks make their HMACs with.",
        subcommands: [ImportHMAC.self, List.self, Disable.self, Enable.self])

    struct ImportHMAC: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import-hmac",
            abstract: "Takes a bank's shared HMAC key, from a file or from a prompt that shows nothing.",
            discussion: """
                Prints the key check value (the first three bytes of HMAC-SHA-256 over nothing), never the key. Several
                keys of a bank may serve at once, so that it can change from one to the next.

                EXAMPLES
                  card-companion key import-hmac --bank MYBANK --hex-file hmac.hex
                  card-companion key import-hmac --bank MYBANK --label 2027
                """)

        @Option(help: "The bank's id.")
        var bank: String
        @Option(help: "A file that holds the key in hex. Without it, the key is asked for.")
        var hexFile: String?
        @Option(help: "Your name for the key. Default: its key check value.")
        var label: String?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let key = try HMACKeyImport(hex: try readHex())
            let label = label ?? key.kcv
            guard Identifier.isValid(label) else {
                throw CommandError.badInput("a label is to have 1 to \(Identifier.maximumLength) printable characters")
            }
            try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                let isAdded = try await key.add(
                    to: bank, label: label, in: installation.store, keyring: try await installation.keyring(),
                    now: installation.clock.now())
                guard isAdded else { throw CommandError.refused("bank '\(bank)' has a key '\(label)' already") }
            }
            try Terminal.show(
                "imported key '\(label)' of bank '\(bank)', KCV \(key.kcv)",
                json: Report(bank: bank, label: label, kcv: key.kcv, status: nil), asJSON: output.json)
        }

        private func readHex() throws -> SecretBytes {
            let limit = 2 * HMACKeyImport.byteCounts.upperBound + 64
            guard let hexFile else { return try Terminal.askSecret("HMAC key (hex): ", byteLimit: limit) }
            return try InputFile.readSecret(hexFile, byteLimit: limit)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a bank's keys: labels and key check values.",
            discussion: "EXAMPLE\n  card-companion key list --bank MYBANK")

        @Option(help: "The bank's id.")
        var bank: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let keys = try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                return try await installation.store.hmacKeys(bankId: bank)
            }
            let rows = keys.map { [$0.label, $0.kcv, $0.status.rawValue, $0.createdAt.text] }
            try Terminal.show(
                Terminal.table(["LABEL", "KCV", "STATUS", "IMPORTED"], rows),
                json: keys.map { Report(bank: bank, label: $0.label, kcv: $0.kcv, status: $0.status.rawValue) },
                asJSON: output.json)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a key off: what it authenticates is refused from now on.",
            discussion: "EXAMPLE\n  card-companion key disable --bank MYBANK 2026")

        @OptionGroup var key: KeyArguments

        func run() async throws { try await key.set(.disabled) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a key on again.", discussion: "EXAMPLE\n  card-companion key enable --bank MYBANK 2026")

        @OptionGroup var key: KeyArguments

        func run() async throws { try await key.set(.active) }
    }

    struct KeyArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The key's label.")
        var label: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func set(_ status: Activity) async throws {
            try await Installation.run(options) { [bank, label] installation in
                let isSet = try await installation.store.setHMACKey(bankId: bank, label: label, status: status)
                guard isSet else { throw CommandError.notFound("bank '\(bank)' has no key '\(label)'") }
            }
            try Terminal.show(
                "key '\(label)' of bank '\(bank)' is \(status.rawValue)",
                json: Report(bank: bank, label: label, kcv: nil, status: status.rawValue), asJSON: output.json)
        }
    }

    private struct Report: Encodable {
        let bank: String
        let label: String
        let kcv: String?
        let status: String?
    }
}

extension Timestamp {
    /// ISO 8601 in UTC, to the second.
    var text: String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
