/// Why a key block is refused: the field, and what it must be. It contains nothing of the key.
package struct KeyBlockError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A part of a key block.
    package enum Field: Equatable, Sendable, CustomStringConvertible {
        case version, length, keyUsage, algorithm, modeOfUse, keyVersion, exportability, optionalBlockCount, keyContext
        case reserved, optionalBlock(String), encryptedKey, mac, key, protectionKey

        /// Its name in X9.143.
        package var description: String {
            switch self {
            case .version: "key block version ID"
            case .length: "key block length"
            case .keyUsage: "key usage"
            case .algorithm: "algorithm"
            case .modeOfUse: "mode of use"
            case .keyVersion: "key version number"
            case .exportability: "exportability"
            case .optionalBlockCount: "number of optional blocks"
            case .keyContext: "key context"
            case .reserved: "reserved field"
            case .optionalBlock(let id): "optional block \(id)"
            case .encryptedKey: "encrypted key"
            case .mac: "MAC"
            case .key: "key"
            case .protectionKey: "key block protection key"
            }
        }
    }

    package let field: Field
    package let reason: String

    package var description: String { "\(field): \(reason)" }

    init(_ field: Field, _ reason: String) {
        self.field = field
        self.reason = reason
    }
}
