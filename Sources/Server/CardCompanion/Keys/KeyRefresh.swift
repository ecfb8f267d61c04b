internal import CardCompanionModel
package import KeyVault
package import Logging
internal import ServiceLifecycle

/// Reloads data keys and server keys from time to time, so that every server has a new key before it is used.
package struct KeyRefresh: Service, CustomStringConvertible {
    /// How long a server can have outdated keys.
    package static let intervalSeconds = 10

    package let description = "key refresh"

    private let dataKeys: DataKeys
    private let keyring: Keyring
    private let vault: VaultWatch
    private let clock: WallClock
    private let logger: Logger

    package init(
        dataKeys: DataKeys, keyring: Keyring, vault: VaultWatch, clock: WallClock, logger: Logger
    ) {
        self.dataKeys = dataKeys
        self.keyring = keyring
        self.vault = vault
        self.clock = clock
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var warned: Set<Int32> = []
            repeat {
                guard vault.isOpen else { continue }
                do {
                    try await dataKeys.report(keyring)
                    let keys = try await vault.refresh()
                    for key in keys.records where warned.insert(key.id).inserted {
                        if !warn(key, keys) { warned.remove(key.id) }
                    }
                } catch {
                    logger.warning("Keys could not be reloaded", metadata: ["error": "\(error)"])
                }
            } while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil
        }
        // A last report, while the store still runs: it stops after this service.
        do {
            try await dataKeys.report(keyring)
        } catch {
            logger.warning("Uses of data keys could not be counted", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: whether there was something to warn of.
    private func warn(_ key: DataKeyRecord, _ keys: WrappedDataKeys) -> Bool {
        let now = clock.now()
        guard key.id == keys.records.active(key.purpose, now)?.id else { return false }
        if key.uses >= DataKeys.usesBeforeRotation {
            logger.warning(
                "A data key has sealed too many values: run 'card-companion vault rotate-data-key'",
                metadata: ["data_key": "\(key.id)", "uses": "\(key.uses)"])
            return true
        }
        guard now.seconds - key.activeFrom.seconds >= DataKeys.cryptoperiodSeconds else { return false }
        logger.warning(
            "A data key has made values for longer than its cryptoperiod: run 'card-companion vault rotate-data-key'",
            metadata: ["data_key": "\(key.id)", "active_from_seconds": "\(key.activeFrom.seconds)"])
        return true
    }
}
