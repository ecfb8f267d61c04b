import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Lists the changes that wait for a second operator, and approves or rejects one.",
        discussion: """
            The command shows the change and asks for the passphrase of your key. Then it signs the approval with your \
            key, and makes the change. The operator who proposed a change cannot approve it.

            EXAMPLES
              card-companion approve
              card-companion approve 5f0c7a1e2b3d4c5f8091a2b3c4d5e6f7 --operator bob \\
                  --operator-key bob.key
              card-companion approve 5f0c7a1e2b3d4c5f8091a2b3c4d5e6f7 --reject
            """)

    @Argument(help: "The change, as in the list. Without it, the command lists the changes.")
    var id: String?
    @Option(help: "The PKCS#11 module that 'vault rewrap' loads, as the other operator named it.")
    var allowModule: String?
    @Flag(help: "Reject the change. The operator who proposed it can also do this.")
    var reject = false
    @OptionGroup(title: "Operator") var signer: OperatorOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard id != nil || !reject else { throw ValidationError("--reject needs the change to reject.") }
    }

    func run() async throws {
        guard let id else { return try await list() }
        try await reject ? self.reject(id) : approve(id)
    }

    private func list() async throws {
        let waiting = try await Installation.run(options) { try await $0.waitingChanges() }
        let reports = waiting.map(Report.init)
        try Terminal.show(
            TextTable.text(["CHANGE", "COMMAND", "BANK", "SUBJECT", "PROPOSED BY", "UNTIL"], reports.map(\.row)),
            json: reports, asJSON: output.json)
    }

    private func approve(_ id: String) async throws {
        let shown = try await Installation.run(options) { [signer, allowModule] installation in
            let waiting = try await installation.waitingChange(id)
            try Self.requireModule(of: waiting, allowModule)
            return try await installation.approve(waiting.proposal, signing: signer)
        }
        try shown.show(output)
    }

    /// Code that a row of the database names runs only if the operator names it, too.
    private static func requireModule(of waiting: WaitingChange, _ allowed: String?) throws {
        guard let path = waiting.modulePath, path != allowed else { return }
        throw CommandError.refused(
            "the change loads the PKCS#11 module \(ClientText.printable(path)): if that is right, name it with --allow-module"
        )
    }

    private func reject(_ id: String) async throws {
        let action = AdminAction(command: "approve", subject: "rejected \(id)")
        try await Installation.run(options, action: action) { installation in
            let waiting = try await installation.waitingChange(id)
            guard try await installation.reject(waiting.proposal) else {
                throw CommandError.notFound("no change '\(id)' waits for an operator")
            }
        }
        try Terminal.show("rejected \(id)", json: ["rejected": id], asJSON: output.json)
    }

    private struct Report: Encodable {
        let id: String
        let command: String
        let bank: String?
        let subject: String?
        let proposedBy: String
        let until: String

        init(_ waiting: WaitingChange) {
            id = waiting.proposal.id
            command = waiting.proposal.action
            bank = waiting.bankId?.text
            subject = waiting.subject
            proposedBy = waiting.proposal.operatorName
            until = waiting.proposal.expiresAt.text
        }

        var row: [String] {
            [id, command, bank ?? "-", subject ?? "-", proposedBy, until]
        }
    }
}
