import Administration
import ArgumentParser
import CardCompanionHTTP
import CardCompanionServer

struct StatusCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows whether the server on this machine serves requests.",
        discussion: """
            It calls the server at the address in the settings. The exit status is 0 if the server serves requests, 1 \
            if it is running but does not serve requests, and 69 if no server answers. 'doctor' says what may be \
            wrong.

            EXAMPLES
              card-companion status
              card-companion status --config /etc/card-companion/config.json --json
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let http = try await ServerSettings.read(self).http
        guard http.port != 0 else {
            throw CommandError.badInput(
                "http.port is 0, so only the server's log says which port it has: name that port with --http-port")
        }
        let server = LocalServer(http)
        let readiness = try await server.readiness()
        let report = Report(url: server.url, isReady: readiness.isReady, reason: readiness.reason)
        try Terminal.show(report.text, json: report, asJSON: output.json)
        guard report.isReady else { throw ExitCode(1) }
    }

    private struct Report: Encodable {
        let url: String
        let isReady: Bool
        /// Why it does not serve.
        let reason: String?

        var text: String {
            isReady
                ? "the server at \(url) serves requests"
                : "the server at \(url) is running, but does not serve requests (\(reason ?? "it does not say why")). Its log says "
                    + "more, and 'card-companion doctor' says what to do"
        }
    }
}
