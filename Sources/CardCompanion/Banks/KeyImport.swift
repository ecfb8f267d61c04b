package import CardCompanionStore
internal import Cryptography
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
    /// - Throws: ``InvalidSetting``.
    package init(hex: borrowing SecretBytes) throws(InvalidSetting) {
        let key = hex.withBytes { bytes -> SecretBytes? in
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
            guard let first = bytes.firstIndex(where: { !isBlank($0) }),
                let last = bytes.lastIndex(where: { !isBlank($0) })
            else { return nil }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: bytes[first...last]))
        }
        guard let key else { throw InvalidSetting(description: "the key must be in hex") }
        guard Self.byteCounts ~= key.count else {
            let range = "\(Self.byteCounts.lowerBound) to \(Self.byteCounts.upperBound)"
            throw InvalidSetting(description: "the key must have \(range) bytes (has \(key.count))")
        }
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

    /// Seals the key and adds it to the bank.
    package func add(
        to bankId: Identifier, label: String, usage: HMACKeyUsage, in store: Store, keyring: Keyring, now: Timestamp
    ) async throws -> HMACKeyOutcome {
        let identity = Self.identity(of: key.bytes)
        return try await store.insertHMACKey(
            NewHMACKey(
                label: label, kcv: kcv, usage: usage,
                sealedKey: try keyring.seal(key.bytes, in: .hmacKey(bankId: bankId, label: label)),
                mac: try keyring.authenticationCode(for: identity, in: .hmacKeyIdentity),
                possibleMACs: try keyring.authenticationCodes(for: identity, in: .hmacKeyIdentity)),
            bankId: bankId, now: now)
    }

    /// What is the same for two keys that make the same HMACs. Such keys can differ (RFC 2104: short keys are filled with
    /// zeros, long ones are hashed).
    static func identity(of key: borrowing SecretBytes) -> [UInt8] {
        HMACSHA256.authenticationCode(for: [UInt8](), key: key)
    }
}
