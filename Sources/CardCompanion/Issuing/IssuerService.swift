public import CardCompanionStore
public import KeyVault
internal import NIOCore
public import StrictJSON

/// What a bank's back-end may do with its cardholders (protocol, section 3).
public struct IssuerService: Sendable {
    private let store: Store
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let clock: WallClock

    /// Over a store and its keys.
    public init(store: Store, keyring: Keyring, serverKeys: ServerKeys, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.clock = clock
    }

    /// Creates or replaces a cardholder.
    ///
    /// - Throws: ``ProvisioningRefusal``, ``ServiceUnavailable``.
    public func put(
        _ body: borrowing JSONText, bank: BankRecord, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> PutOutcome {
        let cardholder = try await provisioning(bank).cardholder(body, uniqueId: uniqueId)
        return try await store.reaching {
            try await $0.putCardholder(cardholder, bankId: bank.id, if: precondition, now: clock.now())
        }
    }

    /// What may be shown of a cardholder.
    public func cardholder(bank: BankRecord, uniqueId: String) async throws -> CardholderRecord? {
        guard Identifier.isValid(uniqueId) else { return nil }
        return try await store.reaching { try await $0.cardholder(bankId: bank.id, uniqueId: uniqueId) }
    }

    /// Changes parts of a cardholder.
    ///
    /// - Returns: nil where there is none at such a version.
    /// - Throws: ``ProvisioningRefusal``, ``ServiceUnavailable``.
    public func patch(
        _ body: borrowing JSONText, bank: BankRecord, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> CardholderRecord? {
        guard Identifier.isValid(uniqueId) else { return nil }
        let patch = try provisioning(bank).patch(body, uniqueId: uniqueId)
        guard !patch.isEmpty else {
            let record = try await cardholder(bank: bank, uniqueId: uniqueId)
            return record.flatMap { precondition.isMet(by: $0.version) ? $0 : nil }
        }
        return try await store.reaching {
            try await $0.patchCardholder(
                bankId: bank.id, uniqueId: uniqueId, patch, if: precondition, now: clock.now())
        }
    }

    /// Erases a cardholder at once.
    ///
    /// - Returns: false where there is none at such a version.
    public func delete(
        bank: BankRecord, uniqueId: String, if precondition: VersionPrecondition
    ) async throws -> Bool {
        guard Identifier.isValid(uniqueId) else { return false }
        return try await store.reaching {
            try await $0.deleteCardholder(bankId: bank.id, uniqueId: uniqueId, if: precondition)
        }
    }

    /// An import of many cardholders.
    public func makeImport(bank: BankRecord) -> CardholderImport {
        // With as many imports as there may be, half of the machine is left to cardholders.
        CardholderImport(
            bankId: bank.id, provisioning: provisioning(bank), store: store, clock: clock,
            parallelism: System.coreCount / (2 * ImportSlots.limit))
    }

    private func provisioning(_ bank: BankRecord) -> Provisioning {
        Provisioning(bank: bank, keyring: keyring, serverKeys: serverKeys)
    }
}
