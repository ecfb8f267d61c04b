import ArgumentParser
import CardCompanionStore

/// `card-companion migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's schema up to date; of several at once one works and the others wait.",
        discussion: """
            EXAMPLE
              card-companion migrate --database-url postgresql://cards@db1/cards
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let applied = try await Installation.run(options, preparing: false) { try await $0.migrations.run() }
        let report = applied.map { Report(version: $0.version, name: $0.name) }
        let text = report.map { "applied \($0.version) (\($0.name))" }.joined(separator: "\n")
        try Terminal.show(text.isEmpty ? "up to date" : text, json: report, asJSON: output.json)
    }

    private struct Report: Encodable {
        let version: Int
        let name: String
    }
}

/// How a command answers.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Answer in JSON, for scripts.")
    var json = false
}
