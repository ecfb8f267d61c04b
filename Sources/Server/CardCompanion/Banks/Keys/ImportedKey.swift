package import CardCompanionModel
package import CardCompanionStore
internal import KeyBlocks
package import KeyVault
internal import SecureMemory

/// A key of any kind that operators import for a bank.
package struct ImportedKey: Sendable {
    package let kind: KeyKind
    private let key: SymmetricKey
    /// Of a key for the issuer's host.
    private let rules: HostKeyRules?

    init(_ key: SymmetricKey, _ kind: KeyKind, _ rules: HostKeyRules? = nil) {
        self.key = key
        self.kind = kind
        self.rules = rules
    }

    /// The key check value, in hex.
    package var kcv: String { key.checkValue.description }

    /// What other programs can show too.
    var checkValues: CheckValues { CheckValues(key.checkValues) }

    /// Whether a check value on somebody's paper is the key's.
    func has(_ shown: ShownCheckValue) -> Bool { key.has(shown) }

    /// Seals the key and adds it to the bank. If it was imported in components, they are erased.
    package func add(
        to bankId: Identifier, label: String, in store: Store, keyring: Keyring, now: Timestamp
    ) async throws -> NewKeyOutcome {
        let identity = try identity(bankId: bankId, label: label, keyring: keyring)
        if let usage = kind.usage.hmac {
            let sealed = try keyring.seal(key.secret.bytes, in: .hmacKey(bankId: bankId, label: label))
            return try await store.insertHMACKey(
                NewHMACKey(usage: usage, kcv: kcv, sealedKey: sealed), identity, now: now)
        }
        let sealed = try keyring.seal(key.secret.bytes, in: .bankKey(bankId: bankId, label: label))
        return try await store.insertBankKey(
            NewBankKey(
                usage: kind.usage, algorithm: kind.algorithm, direction: kind.direction ?? .decrypt,
                rules: rules?.text, kcv: kcv, sealedKey: sealed),
            identity, now: now)
    }

    /// What two operators approve.
    package func object(bankId: Identifier, label: String) -> InventoryObject {
        if let usage = kind.usage.hmac {
            return InventoryObject(hmacKey: label, of: bankId, usage: usage, key.secret.bytes)
        }
        return InventoryObject(
            bankKey: label, of: bankId, usage: kind.usage, algorithm: kind.algorithm,
            direction: kind.direction ?? .decrypt, rules: rules?.text, key.secret.bytes)
    }

    /// - Throws: ``KeyImportRefusal`` if the bank has a key of that name, or any bank has this key.
    package func requireNew(bankId: Identifier, label: String, in store: Store, keyring: Keyring) async throws {
        try await identity(bankId: bankId, label: label, keyring: keyring).requireNew(in: store)
    }

    /// Whether this bank or another one already has the key.
    func isTaken(bankId: Identifier, label: String, in store: Store, keyring: Keyring) async throws -> Bool {
        try await store.hasKey(withMACs: try identity(bankId: bankId, label: label, keyring: keyring).possibleMACs)
    }

    private func identity(
        bankId: Identifier, label: String, keyring: Keyring
    ) throws(KeyVaultError) -> NewKeyIdentity {
        try NewKeyIdentity(of: key.secret.bytes, key.algorithm, bankId: bankId, label: label, keyring: keyring)
    }
}

extension NewKeyIdentity {
    /// - Throws: ``KeyImportRefusal`` if the name is taken, or the key is there already.
    func requireNew(in store: Store) async throws {
        guard try await !store.hasKey(bankId: bankId, label: label) else { throw KeyImportRefusal.labelTaken(label) }
        guard try await !store.hasKey(withMACs: possibleMACs) else { throw KeyImportRefusal.keyTaken }
    }

    /// The name of a key, and its MACs: the key's own, and those of the same bytes as another kind of key.
    init(
        of key: borrowing SecretBytes, _ algorithm: KeyAlgorithm, bankId: Identifier, label: String, keyring: Keyring
    ) throws(KeyVaultError) {
        var possible: [[UInt8]] = []
        for identity in KeyIdentity.possibleIdentities(of: key) {
            possible += try keyring.authenticationCodes(for: identity.bytes, in: .keyIdentity)
        }
        self.init(
            bankId: bankId, label: label,
            mac: try keyring.authenticationCode(for: KeyIdentity.identity(of: key, algorithm), in: .keyIdentity),
            possibleMACs: possible)
    }
}
