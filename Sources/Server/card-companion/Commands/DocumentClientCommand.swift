import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import CardCompanionWebhooks
import Cryptography
import DualControl

struct DocumentClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document-client",
        abstract: "Registers and lists the apps that verify passports and identity cards.",
        subcommands: [
            Add.self, ListItems<DocumentClients>.self, DisableItem<DocumentClients>.self,
            EnableItem<DocumentClients>.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Registers an app of a bank.",
            discussion: """
                The app sends the id when it connects to /ws2/validate. The id is not a secret: the check that the \
                bank's back-end has made for a session decides what the session may do. Results are posted to \
                --result-url, signed with the server's key and, if the bank has an identity certificate, sealed to it. \
                Without --result-url the bank gets only the events identity.checked and identity.failed.

                EXAMPLES
                  card-companion document-client add --bank MYBANK \\
                      --result-url https://id.mybank.example/results
                  card-companion document-client add --bank MYBANK --id mybank-kiosk \\
                      --unbound --result-url https://…
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(
            help: "The client's id: clientId. Default: a random one. Two banks cannot have clients with the same id.")
        var id: String?
        @Option(help: "The https URL that results are posted to.")
        var resultUrl: String?
        @Flag(help: "Allow a URL in a private network, and http there.")
        var allowPrivate = false
        @Flag(
            help: """
                Verify documents without a check for a cardholder. The result is only posted, and no one gets a pass.
                """)
        var unbound = false
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard resultUrl != nil || !unbound else {
                throw ValidationError("--unbound needs --result-url: without it, no one would get the result.")
            }
            guard id.map({ $0.wholeMatch(of: /[!-~]{1,128}/) != nil }) ?? true else {
                throw ValidationError("--id must have 1 to 128 printable ASCII characters without spaces.")
            }
        }

        func run() async throws {
            if let resultUrl {
                let host = try WebhookURL(resultUrl, isPrivate: allowPrivate).host
                // The name is looked up again before each use: this is only for the operator.
                let addresses =
                    allowPrivate ? NetworkAddress.addresses(of: host) : NetworkAddress.publicAddresses(of: host)
                guard let addresses else {
                    throw CommandError.badInput(
                        "the host \(host) has an address in a private network (see --allow-private)")
                }
                if addresses.isEmpty { Terminal.note("the host \(host) has no address at present") }
            }
            try await AddDocumentClient(
                bank: bank, clientId: id ?? Base64URL.encode(SecureRandom.bytes(count: 16)), isUnbound: unbound,
                resultURL: resultUrl, isPrivate: allowPrivate
            ).run(options, signer, output)
        }
    }
}

/// A bank's document clients, for `list`, `enable` and `disable`.
extension DocumentClients: ListedItems {
    struct Report: Encodable {
        let clientId: String
        let resultURL: String?
        let unbound: Bool
        let status: String
    }

    static let afterDisabling = "new sessions are refused from now on, and running ones give no pass."
    static let columns = ["CLIENT", "RESULTS TO", "CHECK", "STATUS", "ADDED"]

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)] {
        try await store.documentClients(bankId: bankId).map {
            (
                [
                    $0.clientId, $0.resultURL ?? "-", $0.isUnbound ? "unbound" : "necessary", $0.status.rawValue,
                    $0.createdAt.text,
                ],
                Report(
                    clientId: $0.clientId, resultURL: $0.resultURL, unbound: $0.isUnbound, status: $0.status.rawValue)
            )
        }
    }
}
