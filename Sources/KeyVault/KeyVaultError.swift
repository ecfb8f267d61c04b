/// What can go wrong between the vault and a sealed value. It never holds a part of either.
public enum KeyVaultError: Error, Equatable, CustomStringConvertible {
    /// The master key's file is not one: what is wrong with it, and where it is.
    case unusableFile(path: String, reason: String)
    /// A data key was wrapped by another master key than the vault's.
    case foreignMasterKey(dataKeyId: Int32)
    /// A data key does not unwrap: it, or the master key, is damaged.
    case damagedDataKey(id: Int32)
    /// There is no active data key of a purpose.
    case noActiveKey(purpose: String)
    /// A value is under a data key that the vault lacks.
    case unknownDataKey(id: Int32)
    /// A value does not authenticate: it is damaged, or is not of the row that it was found in.
    case damagedValue
    /// The cryptographic library failed.
    case engineFailure

    /// For an operator.
    public var description: String {
        switch self {
        case .unusableFile(let path, let reason): "the vault's key file \(path) cannot be used: \(reason)"
        case .foreignMasterKey(let id):
            "data key \(id) in the database was wrapped by another master key: this is not the vault's file of this database"
        case .damagedDataKey(let id): "data key \(id) in the database does not unwrap"
        case .noActiveKey(let purpose): "there is no active data key to \(purpose)"
        case .unknownDataKey(let id): "a value is sealed under data key \(id), which the vault lacks"
        case .damagedValue: "a sealed value does not authenticate"
        case .engineFailure: "the cryptographic library failed"
        }
    }
}
