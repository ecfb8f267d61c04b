import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer

struct ServeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Creates the trial bank, runs the server until SIGTERM or SIGINT, and prints how to use it.",
        discussion: """
            EXAMPLE
              card-companion-sandbox serve --data-directory .data --http-port 8080
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        let environment = environment
        try await ServerProcess.run(self) { core, operations in
            guard core.vaultWatch.isOpen else {
                throw CommandError.refused("the sandbox needs a vault that opens without a prompt: set vault.pin.file")
            }
            let sandbox = try await Sandbox.prepare(
                core.installation, in: core.settings.dataDirectory, keyring: core.keyring, keys: core.keys)
            let bank = try SandboxBank(
                sandbox, core.installation, operations.identityChecks, SandboxPhone(documents: operations.documents))
            let connector = SandboxConnector(of: sandbox, environment: environment, logger: core.installation.logger)
            return TrialParts(routes: SandboxRoutes(bank: bank), services: [connector]) { url in
                connector.start(at: url)
                // The server runs all the same.
                try? Terminal.show(sandbox.instructions(url: url))
            }
        }
    }
}
