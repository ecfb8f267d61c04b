internal import CardCompanionStore
package import KeyVault
package import Logging
internal import ServiceLifecycle

/// Reloads data keys and server keys from time to time, so that every server has a new key before it is used.
package struct KeyRefresh: Service, CustomStringConvertible {
    /// How long a server can have outdated keys.
    package static let intervalSeconds = 30

    /// Its name in the log.
    package let description = "key refresh"

    private let dataKeys: DataKeys
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let logger: Logger

    package init(dataKeys: DataKeys, keyring: Keyring, serverKeys: ServerKeys, logger: Logger) {
        self.dataKeys = dataKeys
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var warned: Set<Int32> = []
            repeat {
                do {
                    for key in try await dataKeys.refresh(keyring) where warned.insert(key.id).inserted {
                        logger.warning(
                            "A data key has sealed too many values: run 'card-companion vault rotate-data-key'",
                            metadata: ["data_key": "\(key.id)", "uses": "\(key.uses)"])
                    }
                    try await serverKeys.reload()
                } catch {
                    logger.warning("Keys could not be reloaded", metadata: ["error": "\(error)"])
                }
            } while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil
        }
        // What was sealed since the last report. The store stops after this service.
        do {
            try await dataKeys.report(keyring)
        } catch {
            logger.warning("Uses of data keys could not be counted", metadata: ["error": "\(error)"])
        }
    }
}
