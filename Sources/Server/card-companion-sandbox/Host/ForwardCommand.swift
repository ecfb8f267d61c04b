import ArgumentParser
import CardCompanionForwarding
import CardCompanionServer
import Foundation
import Glibc

/// The connector of the trial bank: as `card-companion forward`, with the host as the bank's program.
struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Runs the connector of the trial bank, which hands defined PINs to 'host'.",
        discussion: """
            'serve' runs this command, and runs it again if it dies. It ends when its input ends, so that it never outlives \
            'serve'.

            EXAMPLE
              card-companion-sandbox forward --url http://localhost:8080 --sandbox .data/sandbox --data-directory .data
            """)

    /// The host takes one line after the other.
    private static let atOnce = 1
    /// The host waits for the server twice.
    private static let answerSeconds = 2 * Int(BackEnd.timeoutSeconds) + 2

    @Option(help: "The server's URL.")
    var url: String
    @Option(help: "The sandbox's folder.")
    var sandbox: String
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        Self.endWithInput()
        try await ConnectorProcess.run(
            options,
            connector: ConnectorSettings(
                bankId: Sandbox.bankId, program: try Self.program,
                arguments: ["host", "--url", url, "--sandbox", sandbox], limit: Self.atOnce,
                answerSeconds: Self.answerSeconds))
    }

    /// This program, which has the host's command too.
    static var program: String {
        get throws { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
    }

    /// The server holds the other end of the input, which is closed however the server ends.
    private static func endWithInput() {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {}
            kill(getpid(), SIGTERM)
        }
    }
}
