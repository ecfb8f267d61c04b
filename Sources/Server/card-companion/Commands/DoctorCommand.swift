import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import Foundation

struct DoctorCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks at everything that a server needs, and says what is wrong and what to do.",
        discussion: """
            It checks the configuration, files and their modes, limits, free disk, the database, the vault, operators, \
            banks and their certificates. It changes nothing. Run it as the server's user: root can read what the \
            server cannot. The exit status is 1 if there is an error; warnings do not count.

            EXAMPLES
              card-companion doctor
              card-companion doctor --json | jq '.findings[] | select(.level != "ok")'
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = FindingsReport(findings: try await findings())
        try Terminal.show(report.text, json: report, asJSON: output.json)
        guard report.errors == 0 else { throw ExitCode(1) }
    }
}
