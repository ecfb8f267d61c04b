package import Cryptography

/// A key pair of a vault that signs seals of the audit trail. Its private half never leaves the vault, so that no one who can
/// read a server's memory can make a seal.
package protocol SealKey: Sendable {
    var publicKey: P256PublicKey { get }

    /// Signs with ECDSA and SHA-256.
    ///
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: `vaultUnavailable`, `vaultNeedsPIN`.
    func sign(_ message: [UInt8]) async throws(KeyVaultError) -> [UInt8]
}
