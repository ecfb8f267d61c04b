package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault
package import Logging

/// The database, the vault and the clock that commands work on.
package struct Installation: Sendable {
    package let settings: ServerSettings
    package let store: Store
    package let clock = WallClock.system
    package let logger: Logger

    init(_ settings: ServerSettings, _ store: Store, logger: Logger) {
        self.settings = settings
        self.store = store
        self.logger = logger
    }

    /// Makes sure that this program can serve the database.
    func checkSchema() async throws {
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

    package func dataKeys(of vault: any Vault) -> DataKeys { DataKeys(store: store, clock: clock, vault: vault) }

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
        try await withVault(settings.vault.vault(forServer: false)) { try await body(dataKeys(of: $0)) }
    }

    /// Runs `body` with the keys that sign seals of the audit trail.
    package func withSealKeys<Result>(_ body: (SealKeys) async throws -> Result) async throws -> Result {
        try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let serverKeys = try await ServerKeys.opened(with: keyring, in: store, clock: clock)
            let result = try await body(
                SealKeys(store: store, serverKeys: serverKeys, keyring: keyring, vault: dataKeys.vault, clock: clock))
            try await dataKeys.report(keyring)
            return result
        }
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

    /// Runs a short command on the installation that the options name.
    ///
    /// - Parameters:
    ///   - asOwner: whether it runs as the database role that owns the schema, if the database is the private one.
    ///   - action: what the command changes, for the audit trail; nil if it changes nothing.
    package static func run<Result: Sendable>(
        _ options: some SettingOptions, asOwner: Bool = false, action: AdminAction? = nil,
        _ command: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        try await Database.opened(options) { database, settings, logger in
            try await database.prepare(settings, logger: logger)
            let url = asOwner ? database.ownerURL : database.url
            return try await database.connected(to: url, settings, logger: logger) { store in
                let installation = Installation(settings, store, logger: logger)
                try await installation.checkSchema()
                guard let action else { return try await command(installation) }
                return try await action.recorded(in: logger) { try await command(installation) }
            }
        }
    }
}

extension Installation {
    /// Runs `body` on an installation whose database may be of no use to a server.
    package static func examined<Result: Sendable>(
        _ options: some SettingOptions, _ body: @Sendable @escaping (Installation) async throws -> Result
    ) async throws -> Result {
        try await Database.opened(options, isQuiet: true) { database, settings, logger in
            try await database.connected(to: database.url, settings, logger: logger) { store in
                try await body(Installation(settings, store, logger: logger))
            }
        }
    }
}
