internal import CardCompanionStore
internal import Cryptography
internal import KeyBlocks
internal import KeyVault
internal import SecureMemory

/// A bank's key for PIN blocks, ready for use.
struct PINKey: Sendable {
    let label: String
    let direction: BankKeyDirection
    let cipher: BlockCipher

    /// Opens a key.
    ///
    /// - Returns: nil if it is not active, or not for PIN blocks.
    /// - Throws: `KeyVaultError`, `CryptographyError`.
    init?(_ record: BankKeyRecord, of bankId: Identifier, keyring: Keyring) throws {
        guard record.status == .active, record.usage == .pinEncryption else { return nil }
        let key = try keyring.open(record.sealedKey, in: .bankKey(bankId: bankId, label: record.label))
        label = record.label
        direction = record.direction
        cipher = try BlockCipher(record.algorithm == .tripleDES ? .tripleDES : .aes, key: key)
    }
}
