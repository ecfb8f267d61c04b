import Logging
import PostgresLibPQ
import Testing

/// Runs `body` with a client of its own, which is stopped after it.
func withClient<Result: Sendable>(
    _ url: String = TestCluster.shared.url, configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (PostgresClient) async throws -> Result
) async throws -> Result {
    var configuration = PostgresConfiguration(url: url)
    configuration.applicationName = "tests"
    configuration.acquireTimeoutSeconds = 30
    configure(&configuration)
    let client = PostgresClient(configuration: configuration, logger: quietLogger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await client.run() }
        defer { group.cancelAll() }
        return try await body(client)
    }
}

let quietLogger: Logger = {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
}()

/// The error that `body` throws.
func postgresError(_ body: () async throws -> Void) async throws -> PostgresError {
    do {
        try await body()
    } catch let error as PostgresError {
        return error
    }
    throw Unexpected("no error was thrown")
}

struct Unexpected: Error {
    let words: String

    init(_ words: String) {
        self.words = words
    }
}
