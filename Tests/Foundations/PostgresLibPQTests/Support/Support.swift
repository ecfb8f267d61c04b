import Logging
import PostgresHarness
import PostgresLibPQ
import Synchronization
import Testing

/// Runs `body` with a new client, and stops the client afterwards.
func withClient<Result: Sendable>(
    _ url: String? = nil, logger: Logger = quietLogger, configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @Sendable @escaping (PostgresClient) async throws -> Result
) async throws -> Result {
    let own = if let url { url } else { try await NetworkCluster.shared().url }
    var configuration = PostgresConfiguration(url: own)
    configuration.applicationName = "tests"
    // Long timeouts, because the machine can be slow. A test that is about a timeout sets its own.
    configuration.acquireTimeoutSeconds = 300
    configuration.statementTimeoutMilliseconds = 300_000
    configuration.maximumConnections = 2
    configuration.backOff = PostgresBackOffLimits(initialMilliseconds: 10, maximumMilliseconds: 200)
    configure(&configuration)
    let client = PostgresClient(configuration: configuration, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await client.run() }
        defer { group.cancelAll() }
        return try await body(client)
    }
}

/// What a client logs.
final class Messages: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }
    var logger: Logger { Logger(label: "tests") { _ in Handler(messages: self) } }

    private struct Handler: LogHandler {
        let messages: Messages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            messages.texts.withLock { $0.append("\(event.message)") }
        }
    }
}

let quietLogger: Logger = {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
}()

extension AnswerLimit {
    /// A limit for one statement.
    static func statement(_ limit: Duration) -> AnswerLimit { AnswerLimit(statement: limit, all: limit) }
}

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

/// Creates the `numbers` table. All tests share it; each uses its own value of `suite`.
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

/// Waits until `count` sessions with this application name are active.
func waitUntilActive(_ count: Int, _ applicationName: String, _ client: PostgresClient) async throws {
    while try await client.execute(CountActive(applicationName: applicationName)) != [count] {
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Holds a database lock while `body` runs. Anyone else who takes it waits.
func withLock(_ number: Int, _ client: PostgresClient, _ body: @escaping @Sendable () async throws -> Void) async throws
{
    try await client.withConnection { connection in
        try await connection.executeScript("BEGIN")
        _ = try await connection.execute(Lock(number: number))
        try await body()
    }
}

/// Repeats `body` while the database is unavailable, without a time limit.
func eventually<Result>(_ body: () async throws -> Result) async throws -> Result {
    while true {
        do {
            return try await body()
        } catch let error as PostgresError where error.isUnavailable {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
