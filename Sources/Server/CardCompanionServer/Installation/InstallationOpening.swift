package import Administration
package import CardCompanionStore
internal import KeyVault
package import Logging
internal import PKCS11

extension Installation {
    /// The installation of the settings.
    package init(_ settings: ServerSettings, _ store: Store, logger: Logger) {
        self.init(
            store: store, vaults: VaultsOfSettings(settings: settings.vault, dataDirectory: settings.dataDirectory),
            logger: logger, note: Terminal.note)
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

    /// Runs `body` on an installation whose database may be of no use to a server.
    package static func examined<Result: Sendable>(
        _ options: some SettingOptions,
        _ body: @Sendable @escaping (Installation, ServerSettings) async throws -> Result
    ) async throws -> Result {
        try await Database.opened(options, isQuiet: true) { database, settings, logger in
            try await database.connected(to: database.url, settings, logger: logger) { store in
                try await body(Installation(settings, store, logger: logger), settings)
            }
        }
    }
}

/// The vaults that the settings and an operator's options name.
private struct VaultsOfSettings: CommandVaults {
    let settings: VaultSettings
    let dataDirectory: String

    var name: String { settings.name }

    func vault() -> any Vault { settings.vault(forServer: false) }

    var placeOfMark: any Vault { FileVault(path: "\(dataDirectory)/server") }

    func token(_ address: Token.Address, pinFile: String?) -> any Vault {
        VaultSettings.tokenVault(address, pinFile: pinFile, forServer: false)
    }
}
