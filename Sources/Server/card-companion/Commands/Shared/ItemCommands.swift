import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

/// Items of a bank whose commands `list`, `enable` and `disable` are the same for all kinds.
protocol ListedItems: BankItems {
    associatedtype Report: Encodable, Sendable

    /// What happens when one is disabled.
    static var afterDisabling: String { get }
    static var columns: [String] { get }

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)]
}

struct ListItems<Items: ListedItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: "Lists the \(Items.noun)s of a bank, or of all banks.",
            discussion: "EXAMPLE\n  card-companion \(Items.command) list --bank MYBANK --json")
    }

    @Option(help: "The bank's id. Without it, the list is of all banks.")
    var bank: Identifier?
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let listed = try await Installation.run(options) { [bank] installation in
            let banks =
                if let bank { [try await installation.bank(bank).id] } else {
                    try await installation.store.banks().map(\.id)
                }
            var listed: [ListedOfBank<Items>] = []
            for bank in banks { listed.append(try await ListedOfBank(bank, in: installation)) }
            return listed
        }
        let hasApprovals = listed.contains { $0.approvals != nil }
        let columns = (bank == nil ? ["BANK"] : []) + Items.columns + (hasApprovals ? ["APPROVAL"] : [])
        let rows = listed.flatMap { bank in bank.rows.map { (self.bank == nil ? [bank.id.text] : []) + $0 } }
        try Terminal.show(TextTable.text(columns, rows), json: listed.flatMap(\.reports), asJSON: output.json)
    }
}

/// The items of one bank.
private struct ListedOfBank<Items: ListedItems>: Sendable {
    let id: Identifier
    let items: [(row: [String], report: Items.Report)]
    /// Nil without dual control.
    let approvals: [String: Bool]?

    init(_ id: Identifier, in installation: Installation) async throws {
        self.id = id
        items = try await Items.list(id, in: installation.store)
        approvals = try await installation.approvals(Items.self, of: id)
    }

    var rows: [[String]] {
        items.map { item in
            // The name is the first column.
            guard let approvals else { return item.row }
            let words = approvals[item.row[0]].map { $0 ? "approved" : "NOT APPROVED, ignored by servers" }
            return item.row + [words ?? "-"]
        }
    }

    var reports: [ListedReport<Items.Report>] {
        items.map { ListedReport(bank: id.text, report: $0.report, isApproved: approvals?[$0.row[0]]) }
    }
}

/// An item in JSON with its bank. Under dual control it also says whether two operators have approved it.
private struct ListedReport<Report: Encodable>: Encodable {
    let bank: String
    let report: Report
    /// Nil without dual control, and for an item that is not active.
    let isApproved: Bool?

    private enum CodingKeys: String, CodingKey {
        case bank
        case isApproved = "approved"
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(bank, forKey: .bank)
        try members.encodeIfPresent(isApproved, forKey: .isApproved)
    }
}

struct EnableItem<Items: ListedItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "enable", abstract: "Enables a disabled \(Items.noun).",
            discussion: "EXAMPLE\n  card-companion \(Items.command) enable --bank MYBANK 2026")
    }

    @OptionGroup var item: ItemArguments<Items>
    @OptionGroup(title: "Operator") var signer: OperatorOptions

    func run() async throws {
        try await Enable<Items>(bank: item.bank, name: item.name).run(item.options, signer, item.output)
    }
}

struct DisableItem<Items: ListedItems>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "disable", abstract: "Disables a \(Items.noun): \(Items.afterDisabling)",
            discussion: "EXAMPLE\n  card-companion \(Items.command) disable --bank MYBANK 2026")
    }

    @OptionGroup var item: ItemArguments<Items>

    func run() async throws {
        let action = AdminAction(
            command: "\(Items.command) disable", bankId: item.bank, subject: item.name,
            effect: ["status ACTIVE -> DISABLED"])
        let shown = try await Installation.run(item.options, action: action) {
            [bank = item.bank, name = item.name] installation in
            try await installation.disable(Items.self, name, of: bank)
        }
        try shown.show(item.output)
    }
}

struct ItemArguments<Items: ListedItems>: ParsableArguments {
    @Option(help: "The bank's id.")
    var bank: Identifier
    @Argument(help: "Its name, as in the list.")
    var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions
}
