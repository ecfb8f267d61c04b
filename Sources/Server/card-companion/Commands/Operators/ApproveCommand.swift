import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Lists the changes that wait for a second operator, and approves or rejects one.",
        discussion: """
            The command shows the change and asks for the passphrase of your key. Then it signs the approval with your key, and
            makes the change. The operator who proposed a change cannot approve it.

            EXAMPLES
              card-companion approve
              card-companion approve 5f0c7a1e2b3d4c5f8091a2b3c4d5e6f7 --operator bob --operator-key bob.key
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
        let waiting = try await Installation.run(options) { installation in
            try await installation.store.proposedChanges(now: installation.clock.now())
        }
        let reports = waiting.map {
            Report(id: $0.id, command: $0.action, proposedBy: $0.operatorName, until: $0.expiresAt.text)
        }
        try Terminal.show(
            Terminal.table(
                ["CHANGE", "COMMAND", "PROPOSED BY", "UNTIL"],
                reports.map { [$0.id, $0.command, $0.proposedBy, $0.until].map(ClientText.printable) }),
            json: reports, asJSON: output.json)
    }

    private func approve(_ id: String) async throws {
        let shown = try await Installation.run(options) { [signer, allowModule] installation in
            let proposal = try await installation.proposal(id)
            try installation.requireModule(of: proposal, allowModule)
            // Also with --json: nobody signs what they have not seen.
            for line in try await installation.details(of: proposal) { Terminal.note(ClientText.printable(line)) }
            return try await installation.approve(proposal, signing: signer)
        }
        try shown.show(output)
    }

    private func reject(_ id: String) async throws {
        let action = AdminAction(command: "approve", subject: "rejected \(id)")
        try await Installation.run(options, action: action) { installation in
            let proposal = try await installation.proposal(id)
            guard try await installation.store.deleteProposedChange(id: proposal.id) else {
                throw CommandError.notFound("no change '\(id)' waits for an operator")
            }
        }
        try Terminal.show("rejected \(id)", json: ["rejected": id], asJSON: output.json)
    }

    private struct Report: Encodable {
        let id: String
        let command: String
        let proposedBy: String
        let until: String
    }
}

extension Installation {
    fileprivate func proposal(_ id: String) async throws -> ProposedChange {
        let waiting = try await store.proposedChanges(now: clock.now())
        guard let proposal = waiting.first(where: { $0.id == id }) else {
            throw CommandError.notFound("no change '\(id)' waits for an operator: see 'card-companion approve'")
        }
        return proposal
    }

    /// Code that a row of the database names runs only if the operator names it, too.
    fileprivate func requireModule(of proposal: ProposedChange, _ allowed: String?) throws {
        guard let type = Changes.type(of: proposal.action) else { return }
        let change: any Change = try Changes.decode(type, from: proposal.change)
        guard let path = change.modulePath, path != allowed else { return }
        throw CommandError.refused(
            "the change loads the PKCS#11 module \(ClientText.printable(path)): if that is right, name it with --allow-module"
        )
    }

    /// What the second operator must know before they sign.
    fileprivate func details(of proposal: ProposedChange) async throws -> [String] {
        guard let type = Changes.type(of: proposal.action) else { return [] }
        return try await details(of: try Changes.decode(type, from: proposal.change), proposal)
    }

    private func details(of change: some Change, _ proposal: ProposedChange) async throws -> [String] {
        let objects = try await change.objects(in: self).map { "  servers will accept: \($0.name)" }
        let title = "'\(proposal.action)', proposed by \(proposal.operatorName)"
        let bank = change.bankId.map { " for bank '\($0)'" } ?? ""
        return ["\(title)\(bank):"] + (try await change.details(in: self)).map { "  \($0)" } + objects
    }
}
