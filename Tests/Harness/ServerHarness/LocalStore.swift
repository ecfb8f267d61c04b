package import CardCompanionStore
internal import Logging

/// The store of a database, for services that a test runs in its own process.
package enum LocalStore {
    /// Runs `body` with a store that logs errors only.
    package static func run(
        at databaseURL: String, connections: Int = 1,
        _ body: @Sendable @escaping (Store) async throws -> Void
    ) async throws {
        var configuration = StoreConfiguration(url: databaseURL)
        configuration.maximumConnections = connections
        configuration.statementTimeoutMilliseconds = 60_000
        configuration.acquireTimeoutSeconds = 60
        var logger = Logger(label: "tests")
        logger.logLevel = .error
        let store = Store(configuration, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await store.run() }
            defer { group.cancelAll() }
            try await body(store)
        }
    }
}
