package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
package import StrictJSON

/// The checks that a bank's back-end asks for: a document must be shown for a cardholder.
package struct IdentityChecks: Sendable {
    private static let validationIdByteCount = 16

    /// A check that was made.
    package struct Made: Sendable {
        /// 128 random bits (base64url). The app begins its session with it.
        package let validationId: String
        package let expiresAt: Timestamp
    }

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock

    package init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Reads a request for a check.
    ///
    /// - Throws: ``ProvisioningRefusal`` with everything that is wrong.
    package func read(_ body: borrowing JSONText) throws(ProvisioningRefusal) -> RequestedCheck {
        try RequestedCheck(body, at: clock.now())
    }

    /// Makes a check. It replaces an earlier one of the same cardholder.
    ///
    /// - Returns: nil if the bank has no such cardholder.
    /// - Throws: ``ProvisioningRefusal`` if the bank has no such client, `StoreError`, `KeyVaultError`.
    package func make(
        _ requested: RequestedCheck, bankId: Identifier, uniqueId: String, by keyId: String
    ) async throws -> Made? {
        guard let uniqueId = Identifier(uniqueId) else { return nil }
        let now = clock.now()
        let validationId = Base64URL.encode(SecureRandom.bytes(count: Self.validationIdByteCount))
        let holder = ExpectedHolder(bankId: bankId, uniqueId: uniqueId)
        let check = IdentityCheckRecord(
            bankId: bankId, uniqueId: uniqueId, clientId: requested.clientId, validation: .validation(validationId),
            expectationMAC: try holder.mac(of: requested.expected, keyring), expectation: requested.expectation,
            createdAt: now, expiresAt: now.advanced(bySeconds: Int64(requested.lifetimeSeconds)))
        let note = try AuditNote.backEnd(keyId: keyId, bankId: bankId, uniqueId: uniqueId, keyring: keyring)
        switch try await store.makeIdentityCheck(check, audit: note) {
        case .created: return Made(validationId: validationId, expiresAt: check.expiresAt)
        case .noCardholder: return nil
        case .noClient:
            throw ProvisioningRefusal(
                uniqueId: uniqueId,
                problems: [
                    ProvisioningError(
                        IdentityCheckMembers.clientId,
                        "is no active document client of the bank that can be used for checks")
                ])
        }
    }
}
