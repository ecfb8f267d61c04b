import KeyVault

extension KeyVaultError {
    /// What an operator can do.
    var remedy: String {
        switch self {
        case .unusableFile:
            "see that the path is right, and that this user, and nobody else, can read the file (chmod 600)"
        case .vaultUnavailable:
            "see that the token is there and its service runs, and that vault.module and vault.token name them"
        case .vaultNeedsPIN:
            "name the PIN's file in vault.pin.file, or enter the PIN with 'card-companion vault unseal'"
        case .noMasterKey:
            "make one with 'card-companion vault init', or name the vault of this database in the settings"
        case .foreignMasterKey:
            "name the vault of this database in vault.file, or in vault.module and vault.token. If it is lost: "
                + "'card-companion vault recover'"
        case .vaultClosed: "enter the PIN with 'card-companion vault unseal'"
        case .noActiveKey: "make one with 'card-companion vault rotate-data-key'"
        case .damagedDataKey, .unknownDataKey, .damagedValue:
            "find out who has changed the database, and restore the row from a backup"
        case .compromisedDataKey: "start a server: it seals the value again with another key"
        case .engineFailure: "see that OpenSSL works on this machine ('openssl version', and its provider for FIPS)"
        }
    }
}
