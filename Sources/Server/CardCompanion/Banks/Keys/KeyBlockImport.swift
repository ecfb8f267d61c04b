package import CardCompanionModel
package import CardCompanionStore
internal import KeyBlocks
package import KeyVault
internal import SecureMemory

/// A key that comes in a key block (X9.143, TR-31), under a key that the bank already has.
package struct KeyBlockImport: Sendable {
    /// Whether the text had the letter R before the key block, which a payShield writes.
    package let hadSchemeLetter: Bool
    private let block: KeyBlock
    private let kind: KeyKind

    /// Reads a key block, in one line or in several.
    ///
    /// - Parameter acceptsK0: whether a key of usage K0 (key encryption of any kind) is taken as one of K1 (key blocks).
    /// - Throws: `KeyBlockError`, and ``InvalidSetting`` if the key block is for another usage.
    package init(_ text: String, usage: BankKeyUsage, acceptsK0: Bool) throws {
        let read = try KeyBlockText(text)
        hadSchemeLetter = read.hadSchemeLetter
        block = try KeyBlock(read.text)
        kind = try KeyKind(block.header, usage: usage, acceptsK0: acceptsK0)
    }

    /// The key block alone.
    package var text: String { block.text }

    /// Opens the block.
    ///
    /// - Parameter label: the bank's key that protects it.
    /// - Throws: `KeyBlockError`, `PredictableKey`, ``KeyImportRefusal``, `StoreError`, `KeyVaultError`.
    package func key(
        under label: String, of bankId: Identifier, in store: Store, keyring: Keyring
    ) async throws -> ImportedKey {
        guard let record = try await store.bankKey(bankId: bankId, label: label), record.usage == .keyBlock else {
            throw KeyImportRefusal.noProtectionKey(label)
        }
        guard record.status == .active else { throw KeyImportRefusal.disabledProtectionKey(label) }
        let opened = try keyring.open(record.sealedKey, in: .bankKey(bankId: bankId, label: label))
        let protectionKey = try ProtectionKey(
            try SymmetricKey(KeyAlgorithm(record.algorithm), opened), KeyDirection(record.direction))
        let key = try block.key(under: protectionKey)
        try PredictableKey.requireRandom(key.secret.bytes)
        return ImportedKey(key, kind)
    }
}
