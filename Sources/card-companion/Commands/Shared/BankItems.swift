import ArgumentParser
import CardCompanionStore

/// Keys or certificates of a bank: each has a name and can be enabled and disabled. `list`, `enable` and `disable` are the
/// same for all kinds.
protocol BankItems: Sendable {
    associatedtype Report: Encodable, Sendable

    /// Its command: `key`.
    static var command: String { get }
    /// One of them, for people: `key`.
    static var noun: String { get }
    /// The JSON member with its name: `label`.
    static var nameMember: String { get }
    /// What happens when one is disabled.
    static var afterDisabling: String { get }
    static var columns: [String] { get }

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)]

    /// - Returns: false if the bank has none of that name.
    static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool
}

struct ListItems<Items: BankItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: "Lists a bank's \(Items.noun)s.",
            discussion: "EXAMPLE\n  card-companion \(Items.command) list --bank MYBANK --json")
    }

    @Option(help: "The bank's id.")
    var bank: Identifier
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let items = try await Installation.run(options) { [bank] installation in
            _ = try await installation.bank(bank)
            return try await Items.list(bank, in: installation.store)
        }
        try Terminal.show(
            Terminal.table(Items.columns, items.map(\.row)), json: items.map(\.report), asJSON: output.json)
    }
}

struct EnableItem<Items: BankItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "enable", abstract: "Enables a disabled \(Items.noun).",
            discussion: "EXAMPLE\n  card-companion \(Items.command) enable --bank MYBANK 2026")
    }

    @OptionGroup var item: ItemArguments<Items>

    func run() async throws { try await item.set(.active) }
}

struct DisableItem<Items: BankItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "disable", abstract: "Disables a \(Items.noun): \(Items.afterDisabling)",
            discussion: "EXAMPLE\n  card-companion \(Items.command) disable --bank MYBANK 2026")
    }

    @OptionGroup var item: ItemArguments<Items>

    func run() async throws { try await item.set(.disabled) }
}

struct ItemArguments<Items: BankItems>: ParsableArguments {
    @Option(help: "The bank's id.")
    var bank: Identifier
    @Argument(help: "Its name, as in the list.")
    var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func set(_ status: Activity) async throws {
        let verb = status == .active ? "enable" : "disable"
        let action = AdminAction(command: "\(Items.command) \(verb)", bankId: bank, subject: name)
        try await Installation.run(options, action: action) { [bank, name] installation in
            guard try await Items.set(name, of: bank, to: status, in: installation.store) else {
                throw CommandError.notFound("bank '\(bank)' has no \(Items.noun) '\(name)'")
            }
        }
        try Terminal.show(
            "\(Items.noun) '\(name)' of bank '\(bank)' is \(status.rawValue)",
            json: ["bank": bank.text, Items.nameMember: name, "status": status.rawValue], asJSON: output.json)
    }
}
