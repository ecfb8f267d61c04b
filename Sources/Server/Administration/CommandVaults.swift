package import KeyVault
package import PKCS11

/// The vaults that commands open. A person can be asked for the PIN of a token.
package protocol CommandVaults: Sendable {
    /// The vault of the settings, for people.
    var name: String { get }

    /// The vault of the settings.
    func vault() -> any Vault

    /// Where the newest seal of the audit trail is kept if the vault is read-only for servers.
    var placeOfMark: any Vault { get }

    /// A token that is not the one of the settings.
    ///
    /// - Parameter pinFile: nil if a person types the PIN.
    func token(_ address: Token.Address, pinFile: String?) -> any Vault
}
