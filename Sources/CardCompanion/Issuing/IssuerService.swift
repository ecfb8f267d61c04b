package import CardCompanionStore
package import KeyVault
package import StrictJSON

/// What a bank's back-end can do with its cardholders (protocol, section 3).
package struct IssuerService: Sendable {
    private let store: Store
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let clock: WallClock

    package init(store: Store, keyring: Keyring, serverKeys: ServerKeys, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.clock = clock
    }

    /// Creates or replaces a cardholder.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func put(
        _ body: borrowing JSONText, bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> WriteOutcome {
        let cardholder = try await provisioning(bank).cardholder(body, uniqueId: uniqueId)
        return try await store.writeCardholder(
            bankId: bank.id, uniqueId: cardholder.uniqueId, CardholderChange(cardholder), if: precondition,
            now: clock.now())
    }

    package func cardholder(bank: IssuerBank, uniqueId: String) async throws -> CardholderRecord? {
        guard let uniqueId = Identifier(uniqueId) else { return nil }
        return try await store.cardholder(bankId: bank.id, uniqueId: uniqueId)
    }

    /// Changes parts of a cardholder.
    ///
    /// - Returns: the outcome, and the cardholder after the change.
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func patch(
        _ body: borrowing JSONText, bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> (outcome: WriteOutcome, cardholder: CardholderRecord?) {
        guard let uniqueId = Identifier(uniqueId) else { return (.absent, nil) }
        let change = try provisioning(bank).change(body, uniqueId: uniqueId)
        return try await store.changeCardholder(
            bankId: bank.id, uniqueId: uniqueId, change, if: precondition, now: clock.now())
    }

    package func delete(
        bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> DeleteOutcome {
        guard let uniqueId = Identifier(uniqueId) else { return .absent }
        return try await store.deleteCardholder(bankId: bank.id, uniqueId: uniqueId, if: precondition)
    }

    /// An import of many cardholders.
    ///
    /// - Parameter parallelism: how many lines are opened at once.
    package func makeImport(bank: IssuerBank, parallelism: Int) -> CardholderImport {
        CardholderImport(
            bank: bank, provisioning: provisioning(bank), store: store, clock: clock, parallelism: parallelism)
    }

    private func provisioning(_ bank: IssuerBank) -> Provisioning {
        Provisioning(bank: bank, keyring: keyring, serverKeys: serverKeys)
    }
}
