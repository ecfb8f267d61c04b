package import CardCompanionModel
package import CardCompanionStore
internal import KeyBlocks
package import KeyVault
internal import PINVerification
internal import SecureMemory

/// A key that comes in a key block (X9.143, TR-31), under a key that the bank already has.
package struct KeyBlockImport: Sendable {
    /// Whether the text had the letter R before the key block, which a payShield writes.
    package let hadSchemeLetter: Bool
    private let block: KeyBlock
    private let kind: KeyKind
    private let rules: HostKeyRules?

    /// Reads a key block, in one line or in several.
    ///
    /// - Parameter acceptsK0: whether a key of usage K0 (key encryption of any kind) is taken as one of K1 (key blocks).
    /// - Parameter rules: of a key for the issuer's host: the text of its ``HostKeyRules``.
    /// - Throws: `KeyBlockError`, and ``InvalidSetting`` if the key block is for another usage, or a rule is wrong.
    package init(_ text: String, usage: BankKeyUsage, acceptsK0: Bool, rules: String?) throws {
        let read = try KeyBlockText(text)
        hadSchemeLetter = read.hadSchemeLetter
        block = try KeyBlock(read.text)
        let kind = try KeyKind(block.header, usage: usage, acceptsK0: acceptsK0)
        self.kind = kind
        if usage.isForHost {
            self.rules = try HostKeyRules(rules ?? "", usage: usage, algorithm: kind.algorithm)
        } else {
            self.rules = nil
        }
    }

    /// The key block alone.
    package var text: String { block.text }

    /// Opens the block.
    ///
    /// - Parameter label: the bank's key that protects it.
    /// - Throws: `KeyBlockError`, `PredictableKey`, ``KeyImportRefusal``, ``InvalidSetting``, `StoreError`, `KeyVaultError`.
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
        guard kind.usage != .visaPVV || key.secret.bytes.count == VisaPVV.keyByteCount else {
            throw InvalidSetting(
                description: "a key for PVVs has \(VisaPVV.keyByteCount) bytes (has \(key.secret.bytes.count))")
        }
        return ImportedKey(key, kind, rules)
    }
}
