import Logging
import PostgresLibPQ
import Testing

/// Runs `body` with a client of its own, which is stopped after it.
func withClient<Result: Sendable>(
    _ url: String? = nil, configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (PostgresClient) async throws -> Result
) async throws -> Result {
    var configuration = PostgresConfiguration(url: try url ?? TestCluster.shared().url)
    configuration.applicationName = "tests"
    // As slow as a machine may be, nothing here is in a hurry but what a test is about.
    configuration.acquireTimeoutSeconds = 300
    configuration.statementTimeoutMilliseconds = 300_000
    configuration.maximumConnections = 2
    configuration.backOff = PostgresBackOffLimits(initialMilliseconds: 10, maximumMilliseconds: 200)
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

/// A table that each test uses with a name of its own.
func makeNumbersTable(_ client: PostgresClient) async throws {
    try await client.withConnection { connection in
        try await connection.executeScript(
            """
            SELECT pg_advisory_xact_lock(1);
            CREATE TABLE IF NOT EXISTS numbers (
                suite text NOT NULL, number bigint NOT NULL CONSTRAINT number_is_small CHECK (number < 1000000),
                PRIMARY KEY (suite, number) DEFERRABLE INITIALLY DEFERRED
            )
            """)
    }
}

/// Waits until so many sessions with this name are doing something.
func waitUntilActive(_ count: Int, _ applicationName: String, _ client: PostgresClient) async throws {
    while try await client.execute(CountActive(applicationName: applicationName)) != [count] {
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Takes a lock of the database's while `body` runs; who wants it too waits.
func withLock(_ number: Int, _ client: PostgresClient, _ body: @escaping @Sendable () async throws -> Void) async throws
{
    try await client.withTransaction { connection in
        _ = try await connection.execute(Lock(number: number))
        try await body()
    }
}

/// Waits until `body` succeeds, however long a server takes to come back.
func eventually<Result>(_ body: () async throws -> Result) async throws -> Result {
    while true {
        do {
            return try await body()
        } catch let error as PostgresError where error.isUnavailable {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
