internal import CardCompanionModel
internal import Cryptography
internal import KeyBlocks
internal import KeyVault
internal import PINBlocks
internal import SecureMemory

/// A bank's key that makes values for the issuer's host, ready for one call.
struct HostKey: Sendable {
    let rules: HostKeyRules
    let cipher: BlockCipher
    /// The key check value, in hex.
    let kcv: String

    /// Opens a key.
    ///
    /// - Returns: nil if it is not active, or not for the issuer's host.
    /// - Throws: `KeyVaultError`, `InvalidKey`, `CryptographyError`, ``InvalidSetting``.
    init?(_ record: BankKeyRecord, of bankId: Identifier, keyring: Keyring) throws {
        guard record.status == .active, record.usage.isForHost, let text = record.rules else { return nil }
        rules = try HostKeyRules(text, usage: record.usage, algorithm: record.algorithm)
        let opened = try keyring.open(record.sealedKey, in: .bankKey(bankId: bankId, label: record.label))
        let key = try SymmetricKey(KeyAlgorithm(record.algorithm), opened)
        cipher = try BlockCipher(record.algorithm == .tripleDES ? .tripleDES : .aes, key: key.secret.bytes)
        kcv = key.checkValue.description
    }
}
