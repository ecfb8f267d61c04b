import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import KeyVault

extension VaultCommand {
    struct Restored: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restored",
            abstract: "Accepts a vault from a backup, if the database is the present one or was made safe.",
            discussion: """
                No server starts with a vault from a backup before you have said what was restored. If the database was \
                restored as well, 'card-companion database restored' must make it safe first, once. That accepts the \
                vault of the machine where it runs; use this command on the others.

                EXAMPLE
                  card-companion vault restored
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let action = AdminAction(command: "vault restored", subject: "vault")
            let name = try await Installation.run(options, action: action) { installation in
                try await installation.withVault(installation.vaults.vault()) { vault in
                    guard try await BackupCopy.found(in: vault) != nil else {
                        throw CommandError.refused("the vault '\(vault.name)' is not a copy from a backup")
                    }
                    // The database must belong to this vault.
                    _ = try await installation.dataKeys(of: vault).opened()
                    try BackupCopy.accept(vault)
                    return vault.name
                }
            }
            try Terminal.show("servers can start with the vault '\(name)'", json: ["vault": name], asJSON: output.json)
        }
    }
}
