package import Logging
internal import PostgresLibPQ
internal import ServiceLifecycle

/// Everything that the service keeps, in PostgreSQL. All SQL is in this module and in `migrations/`.
package struct Store: Service {
    /// The longest pause between attempts to connect.
    private static let longestReconnectMilliseconds = 2_000

    let client: PostgresClient
    var statements: StatementRunner { StatementRunner(client: client) }

    /// A store that is not connected yet. Its schema must be brought up to date with ``SchemaRunner``.
    package init(_ configuration: StoreConfiguration, logger: Logger) {
        var postgres = PostgresConfiguration(url: configuration.url)
        postgres.applicationName = "card-companion"
        postgres.metricPrefix = "card_companion_database"
        postgres.searchPath = SchemaRunner.schema
        postgres.maximumConnections = configuration.maximumConnections
        postgres.statementTimeoutMilliseconds = configuration.statementTimeoutMilliseconds
        postgres.acquireTimeoutSeconds = Double(configuration.acquireTimeoutSeconds)
        // A new primary is found soon after a failover.
        postgres.backOff.maximumMilliseconds = Self.longestReconnectMilliseconds
        // A prepared statement belongs to its session.
        if configuration.changesSessions { postgres.maximumPreparedStatements = 0 }
        client = PostgresClient(configuration: postgres, logger: logger)
    }

    /// Keeps the connections until the task is cancelled or the service group shuts down. Operations wait for it.
    ///
    /// - Throws: ``StoreError/invalidConfiguration(reason:)``.
    package func run() async throws {
        do {
            try await client.run()
        } catch let error as PostgresError {
            throw StoreError(error)
        }
    }

    /// Runs a part of a request with a limit on how long a statement waits for the database, for connection and answer
    /// together. All statements together wait a quarter longer at most. After that, the store throws `outcomeUnknown` or
    /// `unavailable`.
    package static func answering<Result>(
        within limit: Duration, _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await AnswerLimit.$current.withValue(
            AnswerLimit(statement: limit, all: limit * 5 / 4), operation: body)
    }

    /// Runs a part of a request that has all of the limit again: it takes something back, or follows a wait for something else.
    package static func answeringAnew<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        guard let limit = AnswerLimit.current else { return try await body() }
        return try await answering(within: limit.statement, body)
    }

    /// Asks the database for an answer.
    package func ping() async throws(StoreError) {
        let _: Bool = try await statements.row("SELECT true")
    }
}
