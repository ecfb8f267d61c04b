import ArgumentParser
import CardCompanionServer

/// The server with a trial bank, for newcomers and tests. What signs as a bank or makes up documents is in this program only.
@main
struct SandboxProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-companion-sandbox",
        abstract: "Runs card-companion with a trial bank. Never use it for real cards.",
        discussion: """
            Its commands take the same settings as card-companion. The commands of card-companion work on the same \
            data directory.

            EXAMPLE
              card-companion-sandbox serve --data-directory .data
            """,
        version: Release.version,
        subcommands: [
            ServeCommand.self, CreateCommand.self, ShowDocumentCommand.self, ForwardCommand.self, HostCommand.self,
        ])

    static func main() async { await Program.run(Self.self) }
}
