import ArgumentParser
import CardCompanion
import CardCompanionStore
import Foundation
import SecureMemory

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Imports and lists the HMAC keys of banks.",
        subcommands: [
            ImportHMAC.self, ListItems<HMACKeys>.self, DisableItem<HMACKeys>.self, EnableItem<HMACKeys>.self,
            Remove.self,
        ])

    struct ImportHMAC: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import-hmac",
            abstract: "Imports a bank's shared HMAC key, from a file or from a prompt without echo.",
            discussion: """
                Prints the key check value (the first three bytes of HMAC-SHA-256 over no bytes), never the key. A bank can
                have several active keys, so that it can change from one to the next. A bank needs one key for
                distribution (fetching a PIN) and, if it defines PINs by HMAC, another one for definition. With one key for
                both, a hashMac that was handed out for a fetch can define a PIN.

                EXAMPLES
                  card-companion key import-hmac --bank MYBANK --usage distribution --hex-file fetch.hex
                  card-companion key import-hmac --bank MYBANK --usage definition --label definition-2027
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "What the key's hashMacs are for: distribution, definition or both.")
        var usage: HMACKeyUsage
        @Option(help: "A file that contains the key in hex. Without it, a prompt asks for the key.")
        var hexFile: String?
        @Option(help: "Your name for the key. Default: its key check value.")
        var label: String?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let key = try HMACKeyImport(hex: try readHex())
            let label = label ?? key.kcv
            guard Identifier(label) != nil else {
                throw CommandError.badInput("--label must have \(Identifier.rule)")
            }
            try await Installation.run(
                options, action: AdminAction(command: "key import-hmac", bankId: bank, subject: label)
            ) { [bank, usage] installation in
                _ = try await installation.bank(bank)
                let outcome = try await installation.withKeyring { keyring in
                    try await key.add(
                        to: bank, label: label, usage: usage, in: installation.store, keyring: keyring,
                        now: installation.clock.now())
                }
                switch outcome {
                case .added: break
                case .labelTaken: throw CommandError.refused("bank '\(bank)' already has a key '\(label)'")
                case .keyTaken:
                    throw CommandError.refused(
                        "this key was imported before, by this bank or by another one: each bank and each usage needs a key of "
                            + "its own. 'card-companion key remove' erases one that was imported by mistake")
                }
            }
            if usage == .both {
                Terminal.note(
                    "warning: a hashMac that bank '\(bank)' makes for a fetch with this key can also define a PIN")
            }
            try Terminal.show(
                "imported key '\(label)' of bank '\(bank)' for \(usage.purpose), KCV \(key.kcv)",
                json: ["bank": bank.text, "label": label, "usage": usage.rawValue, "kcv": key.kcv], asJSON: output.json)
        }

        private func readHex() throws -> SecretBytes {
            let limit = 2 * HMACKeyImport.byteCounts.upperBound + 64
            guard let hexFile else { return try Terminal.askSecret("HMAC key (hex): ", byteLimit: limit) }
            return try InputFile.readSecret(hexFile, byteLimit: limit)
        }
    }
}

extension KeyCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases a disabled key, for example one that was imported with a wrong usage.",
            discussion: "EXAMPLE\n  card-companion key remove --bank MYBANK 2026")

        @OptionGroup var item: ItemArguments<HMACKeys>

        func run() async throws {
            let action = AdminAction(command: "key remove", bankId: item.bank, subject: item.name)
            try await Installation.run(item.options, action: action) {
                [bank = item.bank, name = item.name] installation in
                guard try await installation.store.deleteHMACKey(bankId: bank, label: name) else {
                    throw CommandError.notFound(
                        "bank '\(bank)' has no disabled key '\(name)': see 'card-companion key list'")
                }
            }
            try Terminal.show(
                "key '\(item.name)' of bank '\(item.bank)' is erased",
                json: ["bank": item.bank.text, "label": item.name], asJSON: item.output.json)
        }
    }
}

/// A bank's HMAC keys, for `list`, `enable` and `disable`.
enum HMACKeys: BankItems {
    struct Report: Encodable {
        let label: String
        let kcv: String
        let usage: String
        let status: String
    }

    static let command = "key"
    static let noun = "key"
    static let nameMember = "label"
    static let afterDisabling = "a hashMac made with it is refused from now on."
    static let columns = ["LABEL", "KCV", "USAGE", "STATUS", "IMPORTED"]

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)] {
        try await store.hmacKeys(bankId: bankId).map {
            (
                [$0.label, $0.kcv, $0.usage.rawValue, $0.status.rawValue, $0.createdAt.text],
                Report(
                    label: $0.label, kcv: $0.kcv, usage: $0.usage.rawValue, status: $0.status.rawValue)
            )
        }
    }

    static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setHMACKey(bankId: bankId, label: name, status: status)
    }
}

extension HMACKeyUsage {
    /// For people.
    fileprivate var purpose: String {
        switch self {
        case .distribution: "distribution"
        case .definition: "definition"
        case .both: "distribution and definition"
        }
    }
}

extension Timestamp {
    /// ISO 8601 in UTC, to the second.
    var text: String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
