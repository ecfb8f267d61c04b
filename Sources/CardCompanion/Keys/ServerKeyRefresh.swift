package import Logging
internal import ServiceLifecycle

/// Reloads the server's keys from time to time, so that a rotation is published.
package struct ServerKeyRefresh: Service, CustomStringConvertible {
    /// How long a server can publish an outdated key set.
    package static let intervalSeconds = 30

    /// Its name in the log.
    package let description = "server key refresh"

    private let keys: ServerKeys
    private let logger: Logger

    package init(keys: ServerKeys, logger: Logger) {
        self.keys = keys
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                do {
                    try await keys.reload()
                } catch {
                    logger.warning("Server keys could not be reloaded", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
