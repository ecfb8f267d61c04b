import ArgumentParser
import CardCompanionServer

/// The program: the server and the commands of its operator.
@main
struct CardCompanionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-companion",
        abstract: "Gives cardholders their card PIN, and takes the PIN that they choose, through their bank's app.",
        discussion: """
            Without a database URL, every command uses a private PostgreSQL in the data directory. If no server is \
            running it, the command starts it, and stops it at the end.

            EXAMPLES
              card-companion serve
              card-companion bank add MYBANK --name "My Bank" --scheme PCI-CPP
              card-companion key import-hmac --bank MYBANK --usage distribution \\
                  --hex-file hmac.hex
              card-companion cardholder import --bank MYBANK cardholders.ndjson
            """,
        version: Release.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    ServeCommand.self, StatusCommand.self, DoctorCommand.self, CheckConfigCommand.self,
                    ConfigurationCommand.self, MigrateCommand.self, BackupCommand.self, DatabaseCommand.self,
                    ForwardCommand.self,
                ]),
            CommandGroup(
                name: "Bank",
                subcommands: [
                    BankCommand.self, KeyCommand.self, CertificateCommand.self, IssuerKeyCommand.self,
                    CardholderCommand.self, WebhookCommand.self, EventsCommand.self,
                ]),
            CommandGroup(
                name: "Document", subcommands: [DocumentClientCommand.self, CSCACommand.self]),
            CommandGroup(
                name: "Vault and audit",
                subcommands: [
                    VaultCommand.self, ServerKeyCommand.self, OperatorCommand.self, ApproveCommand.self,
                    InventoryCommand.self, AuditCommand.self, EvidenceCommand.self,
                ]),
            CommandGroup(name: "Integrator", subcommands: [ExplainCommand.self]),
        ])

    static func main() async { await Program.run(Self.self) }
}
