package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import KeyBlocks
package import KeyVault
package import SecureMemory

/// An HMAC key that an operator imports for a bank.
package struct HMACKeyImport: Sendable {
    /// How long a key may be, in bytes.
    package static let byteCounts = 16...128

    /// The key check value: the first three bytes, in hex, of HMAC-SHA-256 over no bytes. It does not reveal the key.
    package let kcv: String

    private let key: SharedSecret

    /// Reads a key in hex. White space at the ends is ignored.
    ///
    /// - Throws: ``InvalidSetting``, `PredictableKey`.
    package init(hex: borrowing SecretBytes) throws {
        guard let key = HexText.trimmed(hex) else { throw InvalidSetting(description: "the key must be in hex") }
        try self.init(key: key)
    }

    /// Opens a key that ``sealed(for:label:keyring:)`` has sealed.
    ///
    /// - Throws: `KeyVaultError`, `PredictableKey`.
    package init(sealed: [UInt8], for bankId: Identifier, label: String, keyring: Keyring) throws {
        try self.init(key: keyring.open(sealed, in: .hmacKey(bankId: bankId, label: label)))
    }

    private init(key: consuming SecretBytes) throws {
        guard Self.byteCounts ~= key.count else {
            let range = "\(Self.byteCounts.lowerBound) to \(Self.byteCounts.upperBound)"
            throw InvalidSetting(description: "the key must have \(range) bytes (has \(key.count))")
        }
        try PredictableKey.requireRandom(key)
        kcv = Hex.encode(Array(HMACSHA256.authenticationCode(for: [UInt8](), key: key).prefix(3))).uppercased()
        self.key = SharedSecret(key)
    }

    /// Whether a code is the HMAC-SHA-256 of a text with this key.
    func authenticates(_ code: [UInt8], _ text: String) -> Bool {
        HMACSHA256.isValid(code, for: Array(text.utf8), key: key.bytes)
    }

    /// The HMAC-SHA-256 of a text with this key, as a bank makes it.
    package func authenticationCode(for text: String) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array(text.utf8), key: key.bytes)
    }

    /// The key, sealed as it is stored.
    package func sealed(
        for bankId: Identifier, label: String, keyring: Keyring
    ) throws(KeyVaultError) -> [UInt8] {
        try keyring.seal(key.bytes, in: .hmacKey(bankId: bankId, label: label))
    }

    /// What two operators approve.
    package func object(bankId: Identifier, label: String, usage: HMACKeyUsage) -> InventoryObject {
        InventoryObject(hmacKey: label, of: bankId, usage: usage, key.bytes)
    }

    /// - Throws: ``KeyImportRefusal`` if the bank has a key of that name, or any bank has this key.
    package func requireNew(bankId: Identifier, label: String, in store: Store, keyring: Keyring) async throws {
        try await NewKeyIdentity(of: key.bytes, .hmac, bankId: bankId, label: label, keyring: keyring)
            .requireNew(in: store)
    }

    /// Seals the key and adds it to the bank.
    package func add(
        to bankId: Identifier, label: String, usage: HMACKeyUsage, in store: Store, keyring: Keyring, now: Timestamp
    ) async throws -> NewKeyOutcome {
        try await store.insertHMACKey(
            NewHMACKey(
                usage: usage, kcv: kcv,
                sealedKey: try sealed(for: bankId, label: label, keyring: keyring)),
            try NewKeyIdentity(of: key.bytes, .hmac, bankId: bankId, label: label, keyring: keyring), now: now)
    }
}
