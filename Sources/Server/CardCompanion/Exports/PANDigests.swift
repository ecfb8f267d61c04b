package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
internal import SecureMemory

/// Digests of a bank's PANs and cardholders, which say who was paired with which PAN. They are under a random key of the bank's
/// own: without it nobody can try PANs, and it is sealed again when data keys are replaced, so that digests live for good.
package struct PANDigests: Sendable {
    private static let keyByteCount = 32

    /// The digests of a bank are there, but their key is gone: nobody can tell which PANs were exported.
    struct KeyIsGone: Error, CustomStringConvertible {
        let bankId: Identifier
        var description: String {
            "bank '\(bankId)' has paired PANs, but no key of their digests: restore pan_digest_key from a backup"
        }
    }

    private let bankId: Identifier
    private let key: SharedSecret

    /// The digests of a bank. The first export makes their key.
    ///
    /// - Throws: `StoreError`, `KeyVaultError`, ``KeyIsGone``.
    static func begun(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> PANDigests {
        if let found = try await found(of: bankId, in: store, keyring) { return found }
        let key = SecureRandom.secret(count: keyByteCount)
        try await store.insertPANDigestKey(try keyring.seal(key, in: .panDigestKey(bankId)), bankId: bankId)
        guard let begun = try await found(of: bankId, in: store, keyring) else { throw KeyIsGone(bankId: bankId) }
        return begun
    }

    /// The digests of a bank; nil if it has had no export.
    package static func found(
        of bankId: Identifier, in store: Store, _ keyring: Keyring
    ) async throws -> PANDigests? {
        guard let sealed = try await store.panDigestKey(bankId: bankId) else { return nil }
        let key = try keyring.open(sealed, in: .panDigestKey(bankId))
        return PANDigests(bankId: bankId, key: SharedSecret(key))
    }

    func pairing(_ pan: borrowing SecretBytes, _ uniqueId: Identifier) -> PANPairing {
        PANPairing(panDigest: digest("PAN", pan), cardholderDigest: digest(ofCardholder: uniqueId))
    }

    /// What stands for a cardholder.
    package func digest(ofCardholder uniqueId: Identifier) -> [UInt8] {
        digest("cardholder", Array(uniqueId.text.utf8))
    }

    private func digest(_ kind: String, _ value: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        var message = SecretBuffer()
        message.append(kind)
        message.append(byte: 0)
        message.append(value)
        return HMACSHA256.authenticationCode(for: message.finish(), key: key.bytes)
    }
}
