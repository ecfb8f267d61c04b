import Administration
import ArgumentParser
import CardCompanionModel
import CardCompanionServer

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the schema of the database up to date.",
        discussion: """
            Use the URL of the role that owns the schema; servers use a role that can only serve. If several \
            migrations run at once, one works and the others wait. A migration holds a session lock, so connect it to \
            PostgreSQL itself, or to a pooler with database.pooling=session.

            Without a database URL it makes the private database of the data folder, if there is none. Besides 'serve' \
            no other command does that.

            EXAMPLE
              card-companion migrate \\
                  --database-url postgresql://companion_migrate@db1/cards
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let applied = try await Database.opened(options, isForMigration: true) { database, settings, logger in
            guard !settings.databaseChangesSessions else {
                throw CommandError.configuration(
                    "a migration must keep one session: set database.pooling to 'session' and database.url to the URL "
                        + "of PostgreSQL itself")
            }
            return try await AdminAction(command: "migrate").recorded(in: logger) {
                try await database.migrate(settings, logger: logger)
            }
        }
        let text = applied.isEmpty ? "up to date" : applied.map { "applied \($0)" }.joined(separator: "\n")
        try Terminal.show(text, json: applied, asJSON: output.json)
    }
}
