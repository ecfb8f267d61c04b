import ArgumentParser
import DualControl

struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Makes and changes the master key, which is in a file or on a PKCS#11 token, and the data keys.",
        discussion: """
            The master key wraps the data keys, which seal the secrets in the database. The settings vault.file, or \
            vault.module, vault.token and vault.pin.file, say where it is. They can be environment variables:

              VAULT_MODULE=/usr/lib/softhsm/libsofthsm2.so VAULT_TOKEN=cards card-companion vault status
            """,
        subcommands: [
            Initialize.self, Status.self, Unseal.self, Rewrap.self, RotateMasterKey.self, Recover.self, Restored.self,
            RotateDataKey.self, RetireDataKey.self, SetDataKey.self,
        ])
}
