import ArgumentParser

struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Makes and changes the master key, which is in a file or on a PKCS#11 token, and the data keys.",
        discussion: """
            The master key wraps the data keys, which seal the secrets in the database. Where it is, say the settings vault.file,
            or vault.module, vault.token and vault.pin.file, for example as environment variables:

              VAULT_MODULE=/usr/lib/softhsm/libsofthsm2.so VAULT_TOKEN=cards card-companion vault status
            """,
        subcommands: [
            Initialize.self, Status.self, Unseal.self, Rewrap.self, RotateMasterKey.self, Recover.self,
            RotateDataKey.self, RetireDataKey.self, SetDataKey.self,
        ])
}
