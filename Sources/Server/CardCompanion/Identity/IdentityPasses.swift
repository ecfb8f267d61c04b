package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault

/// The passes of cardholders whose documents have passed. A pass has a MAC of its cardholder, its check and its times, so that a
/// writer to the database cannot give one.
package struct IdentityPasses: Sendable {
    private let store: Store
    private let keyring: Keyring

    package init(store: Store, keyring: Keyring) {
        self.store = store
        self.keyring = keyring
    }

    /// A pass for the cardholder of a check.
    ///
    /// - Parameters:
    ///   - validation: of the check's validationId.
    ///   - lifetimeSeconds: how long it stays valid if it is not used.
    /// - Throws: `vaultClosed`.
    package func make(
        bankId: Identifier, uniqueId: Identifier, validation: SpentDigest, at now: Timestamp, lifetimeSeconds: Int
    ) throws(KeyVaultError) -> IdentityPassRecord {
        let expiresAt = now.advanced(bySeconds: Int64(lifetimeSeconds))
        let mac = try keyring.authenticationCode(
            for: Self.bytes(validation, now, expiresAt), in: .identityPass(bankId: bankId, uniqueId: uniqueId))
        return IdentityPassRecord(validation: validation, passedAt: now, expiresAt: expiresAt, mac: mac)
    }

    /// The MAC of the cardholder's pass; nil if there is none that is genuine and valid.
    ///
    /// - Throws: `StoreError`, `vaultClosed`.
    func mac(bankId: Identifier, uniqueId: Identifier, at now: Timestamp) async throws -> [UInt8]? {
        guard let pass = try await store.identityPass(bankId: bankId, uniqueId: uniqueId), pass.expiresAt > now else {
            return nil
        }
        let right = try keyring.authenticationCodes(
            for: Self.bytes(pass.validation, pass.passedAt, pass.expiresAt),
            in: .identityPass(bankId: bankId, uniqueId: uniqueId))
        return right.contains { ConstantTime.areEqual($0, pass.mac) } ? pass.mac : nil
    }

    /// What the MAC is of, besides the cardholder. Each part has a fixed length.
    private static func bytes(_ validation: SpentDigest, _ passedAt: Timestamp, _ expiresAt: Timestamp) -> [UInt8] {
        validation.bytes + passedAt.microseconds.bigEndianBytes + expiresAt.microseconds.bigEndianBytes
    }
}
