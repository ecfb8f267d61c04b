public import CardCompanionStore
internal import Cryptography
public import KeyVault
public import SecureMemory

/// An HMAC key that an operator brings for a bank.
public struct HMACKeyImport: Sendable {
    /// How long a key may be, in bytes.
    public static let byteCounts = 16...128

    /// What the key may be named by without being told: the first three bytes of HMAC-SHA-256 under it over no bytes,
    /// in hex.
    public let kcv: String

    private let key: SharedSecret

    /// Reads a key's hex; white space at its ends is passed over.
    ///
    /// - Throws: ``InvalidSetting``.
    public init(hex: borrowing SecretBytes) throws(InvalidSetting) {
        let key = hex.withBytes { bytes -> SecretBytes? in
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
            guard let first = bytes.firstIndex(where: { !isBlank($0) }),
                let last = bytes.lastIndex(where: { !isBlank($0) })
            else { return nil }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: bytes[first...last]))
        }
        guard let key else { throw InvalidSetting(description: "the key is not hex") }
        guard Self.byteCounts ~= key.count else {
            let range = "\(Self.byteCounts.lowerBound) to \(Self.byteCounts.upperBound)"
            throw InvalidSetting(description: "the key has \(key.count) bytes; it is to have \(range)")
        }
        kcv = Hex.encode(Array(HMACSHA256.authenticationCode(for: [UInt8](), key: key).prefix(3))).uppercased()
        self.key = SharedSecret(key)
    }

    /// Whether an HMAC-SHA-256 is this key's over a text.
    func authenticates(_ code: [UInt8], _ text: String) -> Bool {
        HMACSHA256.isValid(code, for: Array(text.utf8), key: key.bytes)
    }

    /// Seals the key and adds it to the bank.
    ///
    /// - Returns: false where the bank has a key of that label already.
    public func add(
        to bankId: String, label: String, in store: Store, keyring: Keyring, now: Timestamp
    ) async throws -> Bool {
        let sealed = try keyring.seal(key.bytes, in: .hmacKey(bankId: bankId, label: label))
        return try await store.insertHMACKey(bankId: bankId, label: label, kcv: kcv, sealedKey: sealed, now: now)
    }
}
