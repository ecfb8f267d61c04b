public import Logging
public import ServiceLifecycle

/// Looks from time to time whether the server's keys were rotated, so that what is published follows.
public struct ServerKeyRefresh: Service, CustomStringConvertible {
    /// How long a server may publish what is no longer so.
    public static let intervalSeconds = 30

    /// Its name in the log.
    public let description = "server key refresh"

    private let keys: ServerKeys
    private let logger: Logger

    /// For the keys of a server.
    public init(keys: ServerKeys, logger: Logger) {
        self.keys = keys
        self.logger = logger
    }

    /// Works until it is told to stop.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                do {
                    try await keys.reload()
                } catch {
                    logger.warning("The server's keys could not be read again", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
