import ArgumentParser
import SecureMemory

/// The program: the server and the commands of its operator.
@main
struct CardCompanionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-companion",
        abstract: "Gives cardholders their card PIN, and takes the PIN that they choose, through their bank's app.",
        discussion: """
            Without a database URL, every command uses a private PostgreSQL in the data directory. If no server runs it,
            the command starts it and stops it again.

            EXAMPLES
              card-companion serve --sandbox
              card-companion bank add MYBANK --name "My Bank" --scheme PCI-CPP
              card-companion key import-hmac --bank MYBANK --usage distribution --hex-file hmac.hex
              card-companion cardholder import --bank MYBANK cardholders.ndjson
            """,
        version: Release.version,
        subcommands: [
            ServeCommand.self, StatusCommand.self, DoctorCommand.self, MigrateCommand.self, CheckConfigCommand.self,
            ConfigurationCommand.self,
            BankCommand.self, KeyCommand.self, CertificateCommand.self, CardholderCommand.self, ServerKeyCommand.self,
            IssuerKeyCommand.self, VaultCommand.self, OperatorCommand.self, ApproveCommand.self, AuditCommand.self,
            WebhookCommand.self, DocumentClientCommand.self, CSCACommand.self, EventsCommand.self, DatabaseCommand.self,
            ExplainCommand.self,
            SandboxCommand.self,
        ])

    /// For keys, PINs and codes. If it is full, further secrets are in the ordinary heap, and the server warns. They are wiped
    /// there too.
    static let secureHeapByteCount = 4 << 20

    static func main() async {
        if !CoreDumps.forbid() { Terminal.note("warning: core dumps could not be disabled: they would contain keys") }
        SecureHeap.initialize(byteCount: secureHeapByteCount)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let error = CommandError.wrapping(error)
            guard let refusal = error as? CommandError else { exit(withError: error) }
            Terminal.complain(refusal)
            exit(withError: ExitCode(refusal.status))
        }
    }
}
