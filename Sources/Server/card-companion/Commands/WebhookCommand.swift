import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import CardCompanionWebhooks
import DualControl

struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Sets and shows where banks' events are sent.",
        subcommands: [Set.self, Show.self, Test.self, Disable.self, Resend.self])

    /// The most parked events in the report.
    private static let shownLimit = 100

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Sets where a bank's events are sent.",
            discussion: """
                Events are signed with the server's key (RFC 9421; use 'sig' in /.well-known/jwks.json). They are sent \
                at least once, in order per cardholder, and retried for up to three days until the answer is 2xx.

                EXAMPLE
                  card-companion webhook set \\
                      --bank MYBANK https://hooks.mybank.example/card-companion
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Argument(help: "The https URL.")
        var url: String
        @Flag(help: "Allow a URL in a private network, and http there.")
        var allowPrivate = false
        @Flag(
            help: "Let a 2xx answer acknowledge the event: its sealed PIN is erased, and the event can be removed.")
        var acknowledges = false
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let host = try WebhookURL(url, isPrivate: allowPrivate).host
            // The name is looked up again before each use: this is only for the operator.
            let addresses =
                allowPrivate ? NetworkAddress.addresses(of: host) : NetworkAddress.publicAddresses(of: host)
            guard let addresses else {
                throw CommandError.badInput(
                    "the host \(host) has an address in a private network (see --allow-private)")
            }
            if addresses.isEmpty { Terminal.note("the host \(host) has no address at present") }
            try await SetWebhook(bank: bank, url: url, isPrivate: allowPrivate, acknowledges: acknowledges)
                .run(options, signer, output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows where a bank's events are sent, how many wait, and which were given up.",
            discussion: "EXAMPLE\n  card-companion webhook show --bank MYBANK")

        @OptionGroup var arguments: BankArguments

        func run() async throws {
            let report = try await Installation.run(arguments.options) { [arguments] installation in
                Report(
                    try await installation.webhook(arguments.bank),
                    try await installation.store.backlog(bankId: arguments.bank),
                    try await installation.store.parkedDeliveries(
                        bankId: arguments.bank, limit: WebhookCommand.shownLimit))
            }
            try Terminal.show(report.table, json: report, asJSON: arguments.output.json)
        }

        private struct Report: Encodable {
            struct Parked: Encodable {
                let event: String
                let uniqueId: String?
                let attempts: Int
                let lastError: String?
            }

            let url: String
            let acknowledges: Bool
            let status: String
            let pending: Int
            let oldestSince: String?
            let nextAttemptAt: String?
            let lastError: String?
            let parkedCount: Int
            let parked: [Parked]

            init(_ webhook: WebhookRecord, _ backlog: WebhookBacklog, _ parked: [ParkedDelivery]) {
                url = webhook.url
                acknowledges = webhook.acknowledges
                status = webhook.status.rawValue
                pending = backlog.pending
                oldestSince = backlog.oldestSince?.text
                nextAttemptAt = backlog.nextAttemptAt?.text
                lastError = backlog.lastError
                parkedCount = backlog.parked
                self.parked = parked.map {
                    Parked(
                        event: $0.eventId, uniqueId: $0.uniqueId?.text, attempts: $0.attempts,
                        lastError: $0.lastError)
                }
            }

            var table: String {
                let summary = TextTable.text(
                    ["WEBHOOK", url],
                    [
                        ["status", status], ["2xx acknowledges", "\(acknowledges)"], ["waiting events", "\(pending)"],
                        ["oldest since", oldestSince ?? "-"],
                        ["next attempt at", nextAttemptAt ?? "-"], ["last error", lastError ?? "-"],
                        ["parked", "\(parkedCount)" + (parkedCount > parked.count ? ", the first of them:" : "")],
                    ])
                guard !parked.isEmpty else { return summary }
                let rows = parked.map { [$0.event, $0.uniqueId ?? "", "\($0.attempts)", $0.lastError ?? ""] }
                return summary + "\n" + TextTable.text(["EVENT", "CARDHOLDER", "ATTEMPTS", "LAST ERROR"], rows)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Sends an event of type webhook.test from this machine now, and shows the result.",
            discussion: """
                The event is signed like all events, is not stored, and has no data. The exit status is 1 if the \
                answer was not 2xx. The servers may be in a different network than this machine, and get a different \
                result.

                EXAMPLE
                  card-companion webhook test --bank MYBANK
                """)

        @OptionGroup var arguments: BankArguments

        func run() async throws {
            let action = AdminAction(command: "webhook test", bankId: arguments.bank)
            let caPath = try await ServerSettings.read(arguments.options).webhooksCAPath
            let (url, problem) = try await Installation.run(arguments.options, action: action) {
                [arguments] installation in
                let webhook = try await installation.approvedWebhook(arguments.bank)
                let problem = try await installation.withDataKeys { dataKeys in
                    try await WebhookTrial.send(
                        to: webhook,
                        keys: try await ServerKeys.opened(with: try await dataKeys.opened(), of: dataKeys),
                        clock: installation.clock, caPath: caPath)
                }
                return (webhook.url, problem)
            }
            try Terminal.show(
                problem.map { "\(url) did not accept the event: \($0)" } ?? "\(url) has accepted the event",
                json: Report(url: url, isAccepted: problem == nil, problem: problem), asJSON: arguments.output.json)
            guard problem == nil else { throw ExitCode(1) }
        }

        private struct Report: Encodable {
            let url: String
            let isAccepted: Bool
            let problem: String?
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Stops sending a bank's events. They can still be fetched.",
            discussion: "EXAMPLE\n  card-companion webhook disable --bank MYBANK")

        @OptionGroup var arguments: BankArguments

        func run() async throws {
            let action = AdminAction(command: "webhook disable", bankId: arguments.bank)
            try await Installation.run(arguments.options, action: action) { [arguments] installation in
                let webhook = try await installation.webhook(arguments.bank)
                let disabled = WebhookRecord(
                    bankId: webhook.bankId, url: webhook.url, isPrivate: webhook.isPrivate,
                    acknowledges: webhook.acknowledges, status: .disabled)
                try await installation.removing([.webhook], of: webhook.bankId) {
                    try await installation.store.setWebhook(disabled, now: installation.clock.now())
                }
            }
            try Terminal.show(
                "events of bank '\(arguments.bank)' are no longer sent", json: ["bank": arguments.bank.text],
                asJSON: arguments.output.json)
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend",
            abstract: "Sends an event again, or all parked ones.",
            discussion: """
                EXAMPLES
                  card-companion webhook resend --bank MYBANK
                  card-companion webhook resend --bank MYBANK --event 3q2-7wAAQUKDxMXGx8jJyg
                """)

        @OptionGroup var arguments: BankArguments
        // An id can begin with "-".
        @Option(parsing: .unconditional, help: "The event's id. Default: all parked ones.")
        var event: String?

        func run() async throws {
            let action = AdminAction(command: "webhook resend", bankId: arguments.bank, subject: event)
            let count = try await Installation.run(arguments.options, action: action) {
                [arguments, event] installation in
                _ = try await installation.webhook(arguments.bank)
                return try await installation.store.resendDeliveries(
                    bankId: arguments.bank, eventId: event, now: installation.clock.now())
            }
            if let event, count == 0 {
                throw CommandError.notFound("no event \(event) was sent to bank '\(arguments.bank)'")
            }
            try Terminal.show(
                "\(count) events will be sent again", json: ["count": count], asJSON: arguments.output.json)
        }
    }

    struct BankArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions
    }
}

extension Installation {
    /// A bank's webhook as servers use it: an active one, which two operators have approved if that is necessary.
    ///
    /// - Throws: ``CommandError`` if servers send nothing there.
    fileprivate func approvedWebhook(_ bankId: Identifier) async throws -> WebhookRecord {
        guard try await webhook(bankId).status == .active else {
            throw CommandError.refused("the webhook of bank '\(bankId)' is disabled: see 'card-companion webhook set'")
        }
        return try await withDataKeys { dataKeys in
            let countedObjects = CountedObjects(
                store: store, keyring: try await dataKeys.opened(), inventory: dataKeys.inventory, logger: logger)
            _ = try await countedObjects.refresh(from: dataKeys.vault)
            guard let webhook = try await countedObjects.webhook(bankId: bankId) else {
                throw CommandError.refused(
                    "the webhook of bank '\(bankId)' is not in the inventory, or two operators have not approved it: servers send "
                        + "nothing to it; see 'card-companion doctor'")
            }
            return webhook
        }
    }

    /// A bank's webhook.
    ///
    /// - Throws: ``CommandError`` if it has none.
    fileprivate func webhook(_ bankId: Identifier) async throws -> WebhookRecord {
        _ = try await bank(bankId)
        guard let webhook = try await store.webhook(bankId: bankId) else {
            throw CommandError.notFound("bank '\(bankId)' has no webhook: see 'card-companion webhook set'")
        }
        return webhook
    }
}
