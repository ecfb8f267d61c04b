import Administration
import ArgumentParser
import CardCompanionServer
import Foundation

/// The bank's program that the connector runs.
struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Plays the host of the trial bank: gets a PVV of each defined PIN, and keeps it for the terminal.",
        discussion: """
            The connector runs this command ('forward'), and 'serve' runs the connector. It reads a line of JSON for each PIN that a \
            cardholder has defined, and answers each with a line: first 'sent', and three seconds later, when it is asked \
            again, 'effective'. It ends when its input ends.

            EXAMPLE
              card-companion-sandbox host --url http://localhost:8080 --sandbox .data/sandbox
            """)

    @Option(help: "The server's URL.")
    var url: String
    @Option(help: "The sandbox's folder.")
    var sandbox: String

    func run() async throws {
        let host = try SandboxHost(of: Sandbox(directory: sandbox), url: url)
        // One line after the other, so nothing else needs this thread while it waits for the next one.
        while let text = readLine() {
            guard let line = try? JSONDecoder().decode(ConnectorLine.self, from: Data(text.utf8)) else {
                throw CommandError.badInput("a line is not one of the connector's")
            }
            try Terminal.show(Terminal.encode(try await host.answer(to: line)))
        }
    }
}
