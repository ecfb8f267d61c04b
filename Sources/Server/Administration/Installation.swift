package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault
package import Logging

/// The database, the vault and the clock that commands work on.
package struct Installation: Sendable {
    package let store: Store
    package let vaults: any CommandVaults
    package let clock: WallClock
    package let logger: Logger
    /// Who runs the command, as far as the operating system says.
    package let person: String
    /// Tells the operator something while the command runs, as one line.
    package let note: @Sendable (String) -> Void

    package init(
        store: Store, vaults: any CommandVaults, clock: WallClock = .system, logger: Logger,
        person: String = OperatingSystemUser.name,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.vaults = vaults
        self.clock = clock
        self.logger = logger
        self.person = person
        self.note = note
    }

    /// Makes sure that this program can serve the database.
    package func checkSchema() async throws {
        let schema = try await SchemaRunner(store: store, logger: logger).check()
        if schema.isNewer {
            logger.notice("The schema of the database is newer than this program, but the program can use it")
        }
        if schema.isOwned {
            logger.notice(
                "The database role owns the schema: use a role that cannot change the schema",
                metadata: ["group_role": "\(SchemaRunner.serviceRole)"])
        }
    }

    package func dataKeys(of vault: any Vault) -> DataKeys {
        let inventory = InventoryKeeper(
            store: store, clock: clock, marks: [vault, vaults.placeOfMark], logger: logger)
        return DataKeys(store: store, clock: clock, vault: vault, inventory: inventory)
    }

    /// Runs `body` with the data keys of the database, and counts what it seals with them.
    package func withKeyring<Result>(_ body: (Keyring) async throws -> Result) async throws -> Result {
        try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let result = try await body(keyring)
            try await dataKeys.report(keyring)
            return result
        }
    }

    /// Runs `body` with the data keys, and gives up the connection to the vault afterwards.
    package func withDataKeys<Result>(_ body: (DataKeys) async throws -> Result) async throws -> Result {
        try await withVault(vaults.vault()) { try await body(dataKeys(of: $0)) }
    }

    /// Makes a change of the database, and puts it into the inventory: both take effect, or none.
    ///
    /// - Parameters:
    ///   - change: what changes in the inventory. It is asked for again if another command was faster.
    ///   - body: the change of the database.
    package func changingInventory<Result>(
        _ change: () async throws -> InventoryChange, _ body: () async throws -> Result
    ) async throws -> Result {
        try await withDataKeys { dataKeys in
            try await dataKeys.inventory.changing(with: try await dataKeys.opened(), change, body)
        }
    }

    /// Makes a change of the database that adds an object, or puts it in the place of another one.
    package func adding<Result>(_ object: InventoryObject, _ body: () async throws -> Result) async throws -> Result {
        try await changingInventory {
            var change = InventoryChange()
            change.add(object)
            return change
        } _: {
            try await body()
        }
    }

    /// Runs `body` with the seals of the audit trail.
    ///
    /// - Parameter signs: false if it only verifies. Then a damaged row of a server's key does not stop it.
    package func withSeals<Result>(signs: Bool, _ body: (AuditSeals) async throws -> Result) async throws -> Result {
        try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let serverKeys = ServerKeys(store: store, keyring: keyring, inventory: dataKeys.inventory, clock: clock)
            if signs { try await serverKeys.prepare() }
            let result = try await body(seals(keyring, serverKeys, dataKeys.vault))
            try await dataKeys.report(keyring)
            return result
        }
    }

    /// The seals of the audit trail, and what is remembered of them.
    package func seals(_ keyring: Keyring, _ serverKeys: ServerKeys, _ vault: any Vault) -> AuditSeals {
        let keys = SealKeys(store: store, serverKeys: serverKeys, keyring: keyring, vault: vault, clock: clock)
        let kept = KeptMark(.seal, in: [vault, vaults.placeOfMark])
        return AuditSeals(
            store: store, keys: keys, memory: SealMemory(store: store, keys: keys, kept: kept), clock: clock)
    }

    package func withVault<Opened: Vault, Result>(
        _ vault: Opened, _ body: (Opened) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(vault)
            await vault.close()
            return result
        } catch {
            await vault.close()
            throw error
        }
    }

    /// The bank of that id.
    ///
    /// - Throws: ``CommandError`` if there is none.
    package func bank(_ id: Identifier) async throws -> BankRecord {
        try Self.found(try await store.bank(id: id), id)
    }

    /// All banks whose settings this program understands, and what is wrong with each other one. They are not served.
    package func readableBanks() async throws -> (banks: [BankRecord], faults: [String]) {
        var (banks, faults) = ([BankRecord](), [String]())
        for id in try await store.bankIds() {
            do {
                banks += try await present(id)
            } catch StoreError.unreadable(let reason) {
                faults.append(reason)
            }
        }
        return (banks, faults)
    }

    /// Empty if the bank was removed meanwhile.
    private func present(_ id: Identifier) async throws -> [BankRecord] {
        try await store.bank(id: id).map { [$0] } ?? []
    }

    /// What provisioning needs to know of the bank of that id.
    ///
    /// - Throws: ``CommandError`` if there is none.
    package func issuerBank(_ id: Identifier) async throws -> IssuerBank {
        try Self.found(try await store.issuerBank(id: id, now: clock.now()), id)
    }

    private static func found<Bank>(_ bank: Bank?, _ id: Identifier) throws -> Bank {
        guard let bank else { throw CommandError.notFound("there is no bank '\(id)': see 'card-companion bank list'") }
        return bank
    }
}
