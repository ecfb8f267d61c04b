import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
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

    /// The items of that name, as two operators approve them.
    static func objects(
        _ name: String, of bankId: Identifier, in installation: Installation
    ) async throws -> [ApprovedObject]

    /// Everything of that name that can have an approval.
    static func approvableObjects(
        _ name: String, of bankId: Identifier, in installation: Installation
    ) async throws -> [ApprovedObject]
}

extension BankItems {
    static func approvableObjects(
        _ name: String, of bankId: Identifier, in installation: Installation
    ) async throws -> [ApprovedObject] {
        try await objects(name, of: bankId, in: installation)
    }
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
    @OptionGroup(title: "Operator") var signer: OperatorOptions

    func run() async throws {
        try await Change(bank: item.bank, name: item.name).run(item.options, signer, item.output)
    }

    /// `enable` of one kind of items.
    struct Change: card_companion.Change {
        static var command: String { "\(Items.command) enable" }

        let bank: Identifier
        let name: String

        var bankId: Identifier? { bank }
        var subject: String? { name }

        func objects(in installation: Installation) async throws -> [ApprovedObject] {
            try await Items.objects(name, of: bank, in: installation)
        }

        func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
            try await installation.set(Items.self, name, of: bank, to: .active)
        }
    }
}

struct DisableItem<Items: BankItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "disable", abstract: "Disables a \(Items.noun): \(Items.afterDisabling)",
            discussion: "EXAMPLE\n  card-companion \(Items.command) disable --bank MYBANK 2026")
    }

    @OptionGroup var item: ItemArguments<Items>

    /// One operator can do it, and it takes the approvals away: two must approve before the item is enabled again.
    func run() async throws {
        let action = AdminAction(command: "\(Items.command) disable", bankId: item.bank, subject: item.name)
        let shown = try await Installation.run(item.options, action: action) {
            [bank = item.bank, name = item.name] installation in
            let shown = try await installation.set(Items.self, name, of: bank, to: .disabled)
            await installation.withdrawApproval(Items.self, name, of: bank)
            return shown
        }
        try shown.show(item.output)
    }
}

struct ItemArguments<Items: BankItems>: ParsableArguments {
    @Option(help: "The bank's id.")
    var bank: Identifier
    @Argument(help: "Its name, as in the list.")
    var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions
}

extension Installation {
    /// Takes the approval of a disabled item away, if there are operators. An item can be disabled without the vault.
    fileprivate func withdrawApproval<Items: BankItems>(_ items: Items.Type, _ name: String, of bank: Identifier) async
    {
        do {
            guard try await operators() != nil else { return }
            try await withdraw(try await Items.approvableObjects(name, of: bank, in: self))
        } catch {
            Terminal.note("warning: the \(Items.noun) is disabled, but its approval could not be withdrawn: \(error)")
        }
    }

    /// Enables or disables an item of a bank.
    fileprivate func set<Items: BankItems>(
        _ items: Items.Type, _ name: String, of bank: Identifier, to status: Activity
    ) async throws -> Shown {
        guard try await Items.set(name, of: bank, to: status, in: store) else {
            throw CommandError.notFound("bank '\(bank)' has no \(Items.noun) '\(name)'")
        }
        return Shown(
            text: "\(Items.noun) '\(name)' of bank '\(bank)' is \(status.rawValue)",
            json: ["bank": bank.text, Items.nameMember: name, "status": status.rawValue])
    }
}
