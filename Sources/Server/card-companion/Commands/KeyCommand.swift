import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl
import Foundation
import SecureMemory

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Imports and lists the keys that banks share with this server.",
        subcommands: [
            Import.self, Confirm.self, ImportHMAC.self, ListItems<BankKeys>.self, DisableItem<BankKeys>.self,
            EnableItem<BankKeys>.self, Remove.self,
        ])

    struct ImportHMAC: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import-hmac",
            abstract: "Imports a bank's shared HMAC key, from a file or from a prompt without echo.",
            discussion: """
                Prints the key check value (the first three bytes of HMAC-SHA-256 over an empty message), never the \
                key. A bank can have several active keys, so that it can change from one to the next. A bank needs one \
                key for distribution (fetching a PIN) and, if its cardholders define PINs with an HMAC, another one \
                for definition. If one key is for both, a hashMac that was handed out for a fetch can also define a \
                PIN.

                EXAMPLES
                  card-companion key import-hmac --bank MYBANK --usage distribution \\
                      --hex-file fetch.hex
                  card-companion key import-hmac --bank MYBANK --usage definition \\
                      --label definition-2027
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "What the key's hashMacs are for: distribution, definition or both.")
        var usage: HMACKeyUsage
        @Option(help: "A file that contains the key in hex. Without it, a prompt asks for the key.")
        var hexFile: String?
        @Option(help: "Your name for the key. Default: its key check value.")
        var label: String?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let key = try HMACKeyImport(hex: try readHex())
            let label = try KeyLabel(label ?? key.kcv).text
            let shown = try await Installation.run(options) { [bank, usage, signer] installation in
                _ = try await installation.bank(bank)
                let sealed = try await installation.withKeyring {
                    try key.sealed(for: bank, label: label, keyring: $0)
                }
                let change = ImportHMACKey(bank: bank, label: label, usage: usage, kcv: key.kcv, sealedKey: sealed)
                return try await installation.make(change, signing: signer)
            }
            if usage == .both { KeyCommand.warnOfBoth(bank) }
            try shown.show(output)
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
            commandName: "remove",
            abstract: "Erases a disabled key, or cancels an import in components.",
            discussion: "EXAMPLE\n  card-companion key remove --bank MYBANK 2026")

        @OptionGroup var item: ItemArguments<BankKeys>

        func run() async throws {
            let action = AdminAction(command: "key remove", bankId: item.bank, subject: item.name)
            try await Installation.run(item.options, action: action) {
                [bank = item.bank, name = item.name] installation in
                // A disabled key is in the inventory only if the vault did not open when it was disabled.
                try await installation.removing(BankKeys.inventoryKinds, name, of: bank) {
                    let isKeyErased = try await installation.store.deleteKey(bankId: bank, label: name)
                    let isImportErased = try await installation.store.deleteKeyImport(bankId: bank, label: name)
                    guard isKeyErased || isImportErased else {
                        throw CommandError.notFound(
                            "bank '\(bank)' has no disabled key '\(name)': see 'card-companion key list'")
                    }
                }
            }
            try Terminal.show(
                "key '\(item.name)' of bank '\(item.bank)' is erased",
                json: ["bank": item.bank.text, "label": item.name], asJSON: item.output.json)
        }
    }
}

/// A bank's keys of all kinds, for `list`, `enable` and `disable`. The list also has imports in components.
extension BankKeys: ListedItems {
    struct Report: Encodable {
        let label: String
        let kcv: String?
        let usage: String
        let algorithm: String
        let direction: String?
        /// Of a key for the issuer's host, a line each.
        var rules: [String]?
        let status: String
        /// Of an import in components.
        var components: Int?
        var enteredComponents: Int?
        /// Who has entered each, in the order of entry.
        var custodians: [String]?
    }

    static let afterDisabling = "everything that was made with it is refused from now on."
    static let columns = ["LABEL", "KCV", "USAGE", "ALGORITHM", "DIRECTION", "RULES", "STATUS", "IMPORTED"]

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)] {
        let pending = try await store.pendingKeys(bankId: bankId, now: WallClock.system.now())
        return try await pending.map(item) + store.listedKeys(bankId: bankId).map(item)
    }

    private static func item(_ key: ListedKey) -> (row: [String], report: Report) {
        let rules = key.rules.map { $0.split(separator: "\n").map(String.init) }
        return (
            [
                key.label, key.kcv, key.usage.rawValue, key.algorithm.rawValue, key.direction?.rawValue ?? "-",
                rules?.joined(separator: " ") ?? "-", key.status.rawValue, key.createdAt.text,
            ],
            Report(
                label: key.label, kcv: key.kcv, usage: key.usage.rawValue, algorithm: key.algorithm.rawValue,
                direction: key.direction?.rawValue, rules: rules, status: key.status.rawValue)
        )
    }

    private static func item(_ key: PendingKey) -> (row: [String], report: Report) {
        let (begun, progress) = (key.keyImport, "\(key.custodians.count) of \(key.keyImport.componentCount) components")
        return (
            [
                begun.label, "-", begun.usage.rawValue, begun.algorithm.rawValue, begun.direction?.rawValue ?? "-",
                "-",
                "PENDING (\(progress), by \(key.custodians.joined(separator: ", ")), until \(begun.expiresAt.text))",
                "-",
            ],
            Report(
                label: begun.label, kcv: nil, usage: begun.usage.rawValue, algorithm: begun.algorithm.rawValue,
                direction: begun.direction?.rawValue, status: "PENDING", components: begun.componentCount,
                enteredComponents: key.custodians.count, custodians: key.custodians)
        )
    }
}

extension KeyCommand {
    /// Warns of a key that serves fetches and definitions.
    static func warnOfBoth(_ bank: Identifier) {
        Terminal.note("warning: a hashMac that bank '\(bank)' makes for a fetch with this key can also define a PIN")
    }
}
