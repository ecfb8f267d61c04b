import ArgumentParser
import CardCompanion

/// `card-companion sandbox`.
struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Makes, once, a bank with keys, a certificate and cardholders for trying, and files with its keys.",
        discussion: """
            The files lie in the folder 'sandbox' of the data directory: what the bank's back-end would hold.

            EXAMPLE
              card-companion sandbox
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let directory = try await Installation.run(options) { installation in
            let keyring = try await installation.keyring()
            let keys = try await ServerKeys.opened(with: keyring, in: installation.store, clock: installation.clock)
            return try await Sandbox.prepare(installation, keyring: keyring, keys: keys).directory
        }
        try Terminal.show(
            "bank \(Sandbox.bankId) with the cardholders \(Sandbox.cardholders.joined(separator: ", ")); its files are in "
                + directory,
            json: ["bankId": Sandbox.bankId, "directory": directory], asJSON: output.json)
    }
}
