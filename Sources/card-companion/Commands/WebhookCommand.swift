import ArgumentParser
import CardCompanion
import CardCompanionStore

/// `card-companion webhook`.
struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Where banks are told of their events.",
        subcommands: [Set.self, Show.self, Disable.self, Resend.self])

    /// How many parked events are shown.
    private static let shownLimit = 100

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets where a bank is told of its events from now on.",
            discussion: """
                What is told is signed with the server's key (RFC 9421; use 'sig' in /.well-known/jwks.json), comes at
                least once, in order for each cardholder, and again until it is answered 2xx, for up to three days.

                EXAMPLE
                  card-companion webhook set --bank MYBANK https://hooks.mybank.example/card-companion
                """)

        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The URL: https.")
        var url: String
        @Flag(help: "Let the URL lead into a private network, and be http there.")
        var allowPrivate = false
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let target = try WebhookTarget(url, isPrivate: allowPrivate)
            // A name may lead elsewhere later, and is looked up again whenever it is used: this is for the operator.
            if try target.addresses(isPrivate: allowPrivate).isEmpty {
                Terminal.note("the host \(target.host) has no address now")
            }
            let webhook = WebhookRecord(bankId: bank, url: url, isPrivate: allowPrivate, status: .active)
            try await Installation.run(options) { installation in
                _ = try await installation.bank(webhook.bankId)
                try await installation.store.setWebhook(webhook, now: installation.clock.now())
            }
            try Terminal.show(
                "bank '\(bank)' is told at \(url)", json: ["bank": bank, "url": url], asJSON: output.json)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows where a bank is told, and the events that were tried for too long.",
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
                let uniqueId: String
                let attempts: Int
                let lastError: String?
            }

            let url: String
            let status: String
            let pending: Int
            let oldestSince: String?
            let nextAttemptAt: String?
            let lastError: String?
            let parkedCount: Int
            let parked: [Parked]

            init(_ webhook: WebhookRecord, _ backlog: WebhookBacklog, _ parked: [ParkedDelivery]) {
                url = webhook.url
                status = webhook.status.rawValue
                pending = backlog.pending
                oldestSince = backlog.oldestSince?.text
                nextAttemptAt = backlog.nextAttemptAt?.text
                lastError = backlog.lastError
                parkedCount = backlog.parked
                self.parked = parked.map {
                    Parked(
                        event: "\($0.eventId)", uniqueId: $0.uniqueId, attempts: $0.attempts, lastError: $0.lastError)
                }
            }

            var table: String {
                let summary = Terminal.table(
                    ["WEBHOOK", url],
                    [
                        ["status", status], ["events that wait", "\(pending)"],
                        ["the oldest since", oldestSince ?? "-"],
                        ["next try at", nextAttemptAt ?? "-"], ["last error", lastError ?? "-"],
                        ["parked", "\(parkedCount)" + (parkedCount > parked.count ? ", the first of them:" : "")],
                    ])
                guard !parked.isEmpty else { return summary }
                let rows = parked.map { [$0.event, $0.uniqueId, "\($0.attempts)", $0.lastError ?? ""] }
                return summary + "\n" + Terminal.table(["EVENT", "CARDHOLDER", "TRIES", "LAST ERROR"], rows)
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells a bank nothing more; its events can still be fetched.",
            discussion: "EXAMPLE\n  card-companion webhook disable --bank MYBANK")

        @OptionGroup var arguments: BankArguments

        func run() async throws {
            try await Installation.run(arguments.options) { [arguments] installation in
                let webhook = try await installation.webhook(arguments.bank)
                let disabled = WebhookRecord(
                    bankId: webhook.bankId, url: webhook.url, isPrivate: webhook.isPrivate, status: .disabled)
                try await installation.store.setWebhook(disabled, now: installation.clock.now())
            }
            try Terminal.show(
                "bank '\(arguments.bank)' is told nothing more", json: ["bank": arguments.bank],
                asJSON: arguments.output.json)
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has an event told again, or all that are parked.",
            discussion: """
                EXAMPLES
                  card-companion webhook resend --bank MYBANK
                  card-companion webhook resend --bank MYBANK --event 4711
                """)

        @OptionGroup var arguments: BankArguments
        @Option(help: "The event's number. Default: all that are parked.")
        var event: Int64?

        func run() async throws {
            let count = try await Installation.run(arguments.options) { [arguments, event] installation in
                _ = try await installation.webhook(arguments.bank)
                return try await installation.store.resendDeliveries(
                    bankId: arguments.bank, eventId: event, now: installation.clock.now())
            }
            if let event, count == 0 {
                throw CommandError.notFound("bank '\(arguments.bank)' was never to be told an event \(event)")
            }
            try Terminal.show("\(count) to be told again", json: ["count": count], asJSON: arguments.output.json)
        }
    }

    struct BankArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions
    }
}

extension Installation {
    /// Where a bank is told.
    ///
    /// - Throws: ``CommandError`` where it has no webhook.
    fileprivate func webhook(_ bankId: String) async throws -> WebhookRecord {
        _ = try await bank(bankId)
        guard let webhook = try await store.webhook(bankId: bankId) else {
            throw CommandError.notFound("bank '\(bankId)' has no webhook: see 'card-companion webhook set'")
        }
        return webhook
    }
}
