internal import CardCompanionModel
internal import Cryptography
internal import KeyBlocks
internal import KeyVault
internal import SecureMemory
internal import Synchronization

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

/// The keys for PIN blocks that a bank's back-end names, each read once. It serves only one call, or one batch of an import.
/// So a disabled key opens nothing in the next one.
final class PINKeys: Sendable {
    private let bankId: Identifier
    private let countedObjects: CountedObjects
    private let keyring: Keyring
    private let known = Mutex<[Identifier: PINKey]>([:])

    init(of bankId: Identifier, countedObjects: CountedObjects, keyring: Keyring) {
        self.bankId = bankId
        self.countedObjects = countedObjects
        self.keyring = keyring
    }

    /// - Returns: nil if the bank has no active key with that name for PIN blocks.
    /// - Throws: `StoreError`, `KeyVaultError`, `CryptographyError`.
    func key(_ label: Identifier) async throws -> PINKey? {
        if let key = known.withLock({ $0[label] }) { return key }
        let record = try await countedObjects.bankKey(bankId: bankId, label: label.text)
        guard let key = try record.flatMap({ try PINKey($0, of: bankId, keyring: keyring) }) else { return nil }
        known.withLock { $0[label] = key }
        return key
    }
}
