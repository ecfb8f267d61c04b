import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a trial bank with keys, a certificate and cardholders, and writes its keys to files.",
        discussion: """
            The files are in the folder 'sandbox' of the data directory. In production, the bank's back-end has such \
            keys. If the sandbox already exists, nothing changes.

            EXAMPLE
              card-companion-sandbox create --data-directory .data
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try await ServerSettings.read(options)
        let directory = try await Installation.run(options) { installation in
            try await installation.withDataKeys { dataKeys in
                let keyring = try await dataKeys.opened()
                let keys = try await ServerKeys.opened(with: keyring, of: dataKeys)
                return try await Sandbox.prepare(installation, in: settings.dataDirectory, keyring: keyring, keys: keys)
                    .directory
            }
        }
        try Terminal.show(
            "bank \(Sandbox.bankId) with the cardholders \(Sandbox.cardholders.joined(separator: ", ")); its files are in "
                + directory,
            json: ["bankId": Sandbox.bankId.text, "directory": directory], asJSON: output.json)
    }
}
