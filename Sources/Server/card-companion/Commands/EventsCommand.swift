import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Lists the events of a bank.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists a bank's newest events, and whether the bank has received them.",
            discussion: """
                The command does not change what the bank reads and acknowledges. It does not show the events' data.

                EXAMPLES
                  card-companion events list --bank MYBANK --type pin.defined
                  card-companion events list --bank MYBANK --cardholder 4711 --json
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "Only events about this cardholder.")
        var cardholder: Identifier?
        @Option(help: "Only events of this type.")
        var type: EventType?
        @Option(help: "The maximum number of events (1 to 10000).")
        var limit = 100
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard 1...10_000 ~= limit else { throw ValidationError("--limit must be 1 to 10000.") }
        }

        func run() async throws {
            let events = try await Installation.run(options) { [bank, cardholder, type, limit] installation in
                _ = try await installation.bank(bank)
                return try await installation.store.newestEvents(
                    bankId: bank, uniqueId: cardholder, type: type, limit: limit)
            }
            let lines = events.map(Line.init)
            try Terminal.show(
                TextTable.text(
                    ["TIME", "TYPE", "CARDHOLDER", "EVENT", "POSITION", "ACKNOWLEDGED", "WEBHOOK"],
                    lines.map {
                        [
                            $0.occurredAt, $0.type, $0.uniqueId ?? "", $0.id, $0.position.map { "\($0)" } ?? "",
                            $0.acknowledged ? "yes" : "no", $0.webhook ?? "-",
                        ]
                    }), json: lines, asJSON: output.json)
        }

        private struct Line: Encodable {
            let id: String
            let type: String
            let uniqueId: String?
            let occurredAt: String
            /// Nil until the bank reads its events.
            let position: Int64?
            let acknowledged: Bool
            /// `pending`, `delivered` or `parked`; nil if no webhook gets it.
            let webhook: String?

            init(_ event: ListedEvent) {
                id = event.id
                type = event.type
                uniqueId = event.uniqueId?.text
                occurredAt = event.occurredAt.text
                position = event.position
                acknowledged = event.isAcknowledged
                webhook = event.delivery?.lowercased()
            }
        }
    }
}
