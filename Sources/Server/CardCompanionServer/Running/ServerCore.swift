package import Administration
package import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import Foundation
package import KeyVault
internal import Logging

/// What everything that serves needs: the vault, the keys and the banks.
package struct ServerCore {
    package let settings: ServerSettings
    package let installation: Installation
    package let keyring: Keyring
    package let keys: ServerKeys
    package let vaultWatch: VaultWatch
    let vault: any Vault
    let dataKeys: DataKeys
    let banks: BankDirectory
    let countedObjects: CountedObjects
    let seals: AuditSeals
    let clockWatch: ClockWatch
    let lookUps: TokenBucket.Rate

    /// Compares the clocks, and opens the vault. If the vault needs a PIN from a person, the server starts without keys.
    ///
    /// - Parameter isForTrials: whether the master key may be the only one.
    /// - Throws: the errors of `ClockWatch.compare` and `VaultWatch.openAtStart`.
    init(_ settings: ServerSettings, _ installation: Installation, isForTrials: Bool) async throws {
        self.settings = settings
        let (store, clock, logger) = (installation.store, installation.clock, installation.logger)
        self.installation = installation
        clockWatch = ClockWatch(store: store, clock: clock, limitSeconds: settings.clockLimitSeconds, logger: logger)
        try await clockWatch.compare()
        vault = settings.vault.vault(forServer: true)
        dataKeys = installation.dataKeys(of: vault)
        keyring = Keyring(nil)
        lookUps = .lookUps(perSecond: settings.lookUpsPerSecond)
        keys = ServerKeys(
            store: store, keyring: keyring, inventory: dataKeys.inventory, clock: clock, lookUps: lookUps)
        countedObjects = CountedObjects(store: store, keyring: keyring, inventory: dataKeys.inventory, logger: logger)
        seals = installation.seals(keyring, keys, vault)
        banks = BankDirectory(
            store: store, keyring: keyring, countedObjects: countedObjects, clock: clock, lookUps: lookUps)
        vaultWatch = VaultWatch(
            dataKeys: dataKeys, keyring: keyring, serverKeys: keys, banks: banks, countedObjects: countedObjects,
            trail: seals.memory, clock: clock, grace: .seconds(settings.vault.graceSeconds), serverName: Self.name,
            warnsOfRisk: !isForTrials,
            logger: logger)
        try await vaultWatch.openAtStart()
    }

    /// Host and process id, for people who look at several servers.
    private static var name: String {
        "\(ProcessInfo.processInfo.hostName)/\(ProcessInfo.processInfo.processIdentifier)"
    }
}
