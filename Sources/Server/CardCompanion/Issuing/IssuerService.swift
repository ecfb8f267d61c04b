internal import CardCompanionAPI
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault
package import StrictJSON

/// What a bank's back-end can do with its cardholders (protocol, section 3).
package struct IssuerService: Sendable {
    private let store: Store
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let countedObjects: CountedObjects
    private let clock: WallClock

    package init(
        store: Store, keyring: Keyring, serverKeys: ServerKeys, countedObjects: CountedObjects, clock: WallClock
    ) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.countedObjects = countedObjects
        self.clock = clock
    }

    /// Creates or replaces a cardholder.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func put(
        _ body: borrowing JSONText, bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition,
        call: IdempotentCall?, by keyId: String
    ) async throws -> WriteOutcome {
        let cardholder = try await provisioning(bank).cardholder(body, uniqueId: uniqueId)
        return try await store.writeCardholder(
            bankId: bank.id, settings: bank.settings, uniqueId: cardholder.uniqueId, cardholder.change,
            if: precondition, call: call,
            audit: try note(bank, cardholder.uniqueId, keyId), now: clock.now()
        ).orRefusal(of: cardholder.uniqueId)
    }

    /// Changes parts of a cardholder.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func patch(
        _ body: borrowing JSONText, bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition,
        call: IdempotentCall?, by keyId: String
    ) async throws -> WriteOutcome {
        guard let uniqueId = Identifier(uniqueId) else { return .absent }
        let change = try await provisioning(bank).change(body, uniqueId: uniqueId)
        return try await store.writeCardholder(
            bankId: bank.id, settings: bank.settings, uniqueId: uniqueId, change, if: precondition, call: call,
            audit: try note(bank, uniqueId, keyId), now: clock.now()
        ).orRefusal(of: uniqueId)
    }

    package func delete(
        bank: IssuerBank, uniqueId: String, if precondition: VersionPrecondition, call: IdempotentCall?,
        by keyId: String
    ) async throws -> WriteOutcome {
        guard let uniqueId = Identifier(uniqueId) else { return .absent }
        return try await store.deleteCardholder(
            bankId: bank.id, uniqueId: uniqueId, if: precondition, call: call,
            audit: try note(bank, uniqueId, keyId), now: clock.now())
    }

    private func note(_ bank: IssuerBank, _ uniqueId: Identifier, _ keyId: String) throws -> AuditNote {
        try .backEnd(keyId: keyId, bankId: bank.id, uniqueId: uniqueId, keyring: keyring)
    }

    package func cardholder(bank: IssuerBank, uniqueId: String) async throws -> CardholderRecord? {
        guard let uniqueId = Identifier(uniqueId) else { return nil }
        return try await store.cardholder(bankId: bank.id, uniqueId: uniqueId)
    }

    /// The bank's cardholders in the order of their uniqueIds, from the first one after `after`.
    package func cardholders(bank: IssuerBank, after: String?, limit: Int) async throws -> [CardholderRecord] {
        try await store.cardholders(bankId: bank.id, after: after, limit: limit)
    }

    /// An import of many cardholders.
    ///
    /// - Parameter parallelism: how many lines are opened at once.
    package func makeImport(bank: IssuerBank, by keyId: String, parallelism: Int) -> CardholderImport {
        CardholderImport(
            bank: bank, provisioning: provisioning(bank), actor: "key:\(keyId)", store: store, clock: clock,
            parallelism: parallelism)
    }

    private func provisioning(_ bank: IssuerBank) -> Provisioning {
        Provisioning(bank: bank, keyring: keyring, serverKeys: serverKeys, countedObjects: countedObjects)
    }
}

extension WriteOutcome {
    /// - Throws: ``ProvisioningRefusal`` if the store has found that a member is wrong.
    func orRefusal(of uniqueId: Identifier) throws(ProvisioningRefusal) -> WriteOutcome {
        switch self {
        case .pinVersionMissing:
            throw ProvisioningRefusal(
                uniqueId: uniqueId,
                problems: [ProvisioningError(ProvisionedMembers.pinVersion, "is missing: the stored PIN has one")])
        case .pinUnreadable:
            throw ProvisioningRefusal(
                uniqueId: uniqueId, problems: [ProvisioningError(MemberName.pin, "\(UnknownServerKey())")])
        default: return self
        }
    }
}
