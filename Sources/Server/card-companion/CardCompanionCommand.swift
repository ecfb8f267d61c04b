import ArgumentParser
import CardCompanionServer

/// The program: the server and the commands of its operator.
@main
struct CardCompanionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-companion",
        abstract: "Gives cardholders their card PIN, and takes the PIN that they choose, through their bank's app.",
        discussion: """
            Without a database URL, every command uses a private PostgreSQL in the data directory. If no server is
            running it, the command starts it, and stops it at the end.

            EXAMPLES
              card-companion serve
              card-companion bank add MYBANK --name "My Bank" --scheme PCI-CPP
              card-companion key import-hmac --bank MYBANK --usage distribution --hex-file hmac.hex
              card-companion cardholder import --bank MYBANK cardholders.ndjson
            """,
        version: Release.version,
        subcommands: [
            ServeCommand.self, StatusCommand.self, DoctorCommand.self, MigrateCommand.self, CheckConfigCommand.self,
            ConfigurationCommand.self,
            BankCommand.self, KeyCommand.self, CertificateCommand.self, CardholderCommand.self, ServerKeyCommand.self,
            IssuerKeyCommand.self, VaultCommand.self, OperatorCommand.self, ApproveCommand.self, InventoryCommand.self,
            AuditCommand.self,
            WebhookCommand.self, DocumentClientCommand.self, CSCACommand.self, EventsCommand.self, DatabaseCommand.self,
            ExplainCommand.self,
        ])

    static func main() async { await Program.run(Self.self) }
}
