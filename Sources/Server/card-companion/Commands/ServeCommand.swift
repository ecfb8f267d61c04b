import Administration
import ArgumentParser
import CardCompanionServer

struct ServeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            For a trial with a bank and cardholders, use 'card-companion-sandbox serve' ('make run' in the sources).

            EXAMPLES
              card-companion serve
              card-companion serve --http-host 0.0.0.0 --http-port 443 \\
                  --http-tls-certificate chain.pem --http-tls-key key.pem \\
                  --database-url 'postgresql://cards@db1/cards?sslmode=verify-full'
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await ServerProcess.run(self)
    }
}
