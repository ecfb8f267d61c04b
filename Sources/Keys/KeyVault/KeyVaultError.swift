/// An error of the vault or of a sealed value. It never contains key material or a part of the value.
package enum KeyVaultError: Error, Equatable, CustomStringConvertible {
    /// A file with the master key, a component or a PIN cannot be used.
    case unusableFile(path: String, reason: String)
    /// The token does not answer, or gives a wrong answer.
    case vaultUnavailable(_ reason: String)
    /// A person must enter the PIN of the token, or a different one than before.
    case vaultNeedsPIN(_ reason: String)
    /// The vault has no master key of this database.
    case noMasterKey(vault: String)
    /// A data key is not wrapped with a master key of the vault.
    case foreignMasterKey(dataKeyId: Int32)
    /// The data keys were taken away, because the vault was lost, or it was not opened yet.
    case vaultClosed
    /// A data key does not unwrap: the data key or the master key is damaged.
    case damagedDataKey(id: Int32)
    /// There is no active data key for a purpose.
    case noActiveKey(purpose: String)
    /// A value is sealed with a data key that does not exist.
    case unknownDataKey(id: Int32)
    /// A value is sealed with a data key that is compromised. Servers seal it again; until then it does not open.
    case compromisedDataKey(id: Int32)
    /// A value does not authenticate: it was changed, or it belongs to another row.
    case damagedValue(SealedPlace)
    /// The cryptographic library failed.
    case engineFailure

    /// The text for the operator.
    package var description: String {
        switch self {
        case .unusableFile(let path, let reason): "the file \(path) cannot be used: \(reason)"
        case .vaultUnavailable(let reason): "the vault is not available: \(reason)"
        case .vaultNeedsPIN(let reason): "the vault needs a PIN from a person: \(reason)"
        case .noMasterKey(let vault):
            "the vault '\(vault)' has no master key of this database: run 'card-companion vault init', or use the vault of "
                + "this database"
        case .foreignMasterKey(let id):
            "data key \(id) in the database was wrapped with another master key: use the vault of this database"
        case .vaultClosed: "the vault is not open"
        case .damagedDataKey(let id):
            "data key \(id) in the database does not unwrap: the data key or the vault is damaged"
        case .noActiveKey(let purpose): "the database has no active data key for the purpose '\(purpose)'"
        case .unknownDataKey(let id): "a value is sealed with data key \(id), which does not exist in the database"
        case .compromisedDataKey(let id): "a value is sealed with data key \(id), which is compromised"
        case .damagedValue(let place):
            "the sealed value in \(place) does not authenticate: it was changed, or moved from another row"
        case .engineFailure: "the cryptographic library failed"
        }
    }
}
