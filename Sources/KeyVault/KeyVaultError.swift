/// An error of the vault or of a sealed value. It never contains key material or a part of the value.
package enum KeyVaultError: Error, Equatable, CustomStringConvertible {
    /// The file of the master key cannot be used.
    case unusableFile(path: String, reason: String)
    /// A data key was wrapped with another master key than the vault's.
    case foreignMasterKey(dataKeyId: Int32)
    /// A data key does not unwrap: the data key or the master key is damaged.
    case damagedDataKey(id: Int32)
    /// There is no active data key for a purpose.
    case noActiveKey(purpose: String)
    /// A value is sealed with a data key that does not exist.
    case unknownDataKey(id: Int32)
    /// A value does not authenticate: it was changed, or it belongs to another row.
    case damagedValue
    /// The cryptographic library failed.
    case engineFailure

    /// The text for the operator.
    package var description: String {
        switch self {
        case .unusableFile(let path, let reason): "cannot use the vault file \(path): \(reason)"
        case .foreignMasterKey(let id):
            "data key \(id) in the database was wrapped with another master key: use the vault file of this database"
        case .damagedDataKey(let id):
            "data key \(id) in the database does not unwrap: the data key or the vault file is damaged"
        case .noActiveKey(let purpose): "the database has no active data key for the purpose '\(purpose)'"
        case .unknownDataKey(let id): "a value is sealed with data key \(id), which does not exist in the database"
        case .damagedValue: "a sealed value does not authenticate: it was changed, or moved to another row"
        case .engineFailure: "the cryptographic library failed"
        }
    }
}
