import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import CardCompanionWebhooks
import Cryptography

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
            abstract: "Registers an app of a bank.",
            discussion: """
                The app sends the id when it connects to /ws2/validate. The id is not a secret: the check that the bank's back-end
                has made for a session decides what the session may do. Results are posted to --result-url, signed with the
                server's key and, if the bank has an identity certificate, sealed to it. Without --result-url the bank gets only
                the event identity.checked.

                EXAMPLES
                  card-companion document-client add --bank MYBANK --result-url https://id.mybank.example/results
                  card-companion document-client add --bank MYBANK --id mybank-kiosk --unbound --result-url https://…
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

/// `document-client add`.
struct AddDocumentClient: Change {
    static let command = "document-client add"

    let bank: Identifier
    let clientId: String
    let isUnbound: Bool
    let resultURL: String?
    let isPrivate: Bool

    var bankId: Identifier? { bank }
    var subject: String? { clientId }

    private func record(_ now: Timestamp) -> DocumentClientRecord {
        DocumentClientRecord(
            clientId: clientId, bankId: bank, isUnbound: isUnbound, resultURL: resultURL, resultIsPrivate: isPrivate,
            status: .active, createdAt: now)
    }

    func details(in installation: Installation) async throws -> [String] {
        [
            "client '\(clientId)'",
            resultURL.map { "results, which are personal data, are posted to \($0)" } ?? "results are not posted",
            "a private network is \(isPrivate ? "allowed" : "not allowed")",
            isUnbound ? "it verifies documents without a check" : "each session needs a check from the bank",
        ]
    }

    func objects(in installation: Installation) async throws -> [ApprovedObject] {
        [ApprovedObject(record(installation.clock.now()))]
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.bank(bank)
        guard try await installation.store.insertDocumentClient(record(installation.clock.now())) else {
            throw CommandError.refused("there is already a document client '\(clientId)'")
        }
        return Shown(
            text: "added document client '\(clientId)' of bank '\(bank)'",
            json: ["bank": bank.text, "clientId": clientId])
    }
}

/// A bank's document clients, for `list`, `enable` and `disable`.
enum DocumentClients: BankItems {
    struct Report: Encodable {
        let clientId: String
        let resultURL: String?
        let unbound: Bool
        let status: String
    }

    static let command = "document-client"
    static let noun = "document client"
    static let nameMember = "clientId"
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

    static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setDocumentClient(bankId: bankId, id: name, status: status)
    }

    static func objects(
        _ name: String, of bankId: Identifier, in installation: Installation
    ) async throws -> [ApprovedObject] {
        try await installation.store.documentClients(bankId: bankId).filter { $0.clientId == name }
            .map { ApprovedObject($0) }
    }
}
