import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct LeaseTests {
    @Test func `a stale prepared statement fails its transaction and is not sent again`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            _ = try await client.execute(Add(left: 1, right: 2))
            let error = try await postgresError {
                try await client.withConnection { connection in
                    struct Deallocate: PostgresStatement { static let sql = "DEALLOCATE ALL" }
                    try await connection.executeScript("BEGIN")
                    _ = try await connection.execute(Deallocate())
                    _ = try await connection.execute(Add(left: 1, right: 2))
                }
            }
            #expect(error.code == .server(.invalidSQLStatementName))
            #expect(error.isRetryable)
            #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
        }
    }

    @Test func `the body of a lease can use the state of its actor`() async throws {
        actor Counter {
            private var count = 0

            func countIn(_ client: PostgresClient) async throws -> Int {
                try await client.withConnection { connection in
                    count += try await connection.execute(Add(left: 1, right: 2))[0]
                }
                return count
            }
        }
        try await withClient { client in
            let count = try await Counter().countIn(client)
            #expect(count == 3)
        }
    }

    @Test func `session state of a lease is reset after the lease`() async throws {
        struct State: PostgresStatement {
            static let sql = """
                SELECT current_setting('work_mem'), to_regclass('pg_temp.left_behind') IS NULL,
                    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                    (SELECT count(*) FROM pg_listening_channels()), pg_backend_pid()
                """
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> [String] {
                [
                    try row.next(), "\(try row.next(as: Bool.self))", "\(try row.next(as: Int.self))",
                    "\(try row.next(as: Int.self))", "\(try row.next(as: Int.self))",
                ]
            }
        }
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let before = try await client.execute(State())
            try await client.withConnection { connection in
                try await connection.executeScript(
                    """
                    SET work_mem = '7MB'; CREATE TEMP TABLE left_behind (a int); SELECT pg_advisory_lock(77);
                    LISTEN something; COMMIT; BEGIN; SELECT 1
                    """)
            }
            // The process is also the same: the session was reset, not closed.
            #expect(try await client.execute(State()) == before)
        }
    }

    @Test func `a connection cannot be used after its lease`() async throws {
        try await withClient { client in
            let kept = try await client.withConnection { $0 }
            let error = try await postgresError { _ = try await kept.execute(Add(left: 1, right: 2)) }
            #expect(error.code == .leaseEnded)
        }
    }

    @Test func `statements of one lease can run concurrently`() async throws {
        try await withClient { client in
            let sum = try await client.withConnection { connection in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<20 {
                        group.addTask { try await connection.execute(Add(left: number, right: 0))[0] }
                    }
                    group.addTask {
                        try await connection.executeScript("SELECT 1; SELECT 2")
                        return 0
                    }
                    return try await group.reduce(0, +)
                }
            }
            #expect(sum == 190)
        }
    }

    @Test func `a script with an error reports its position and has no effect`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            try await client.withConnection { connection in
                let error = try await postgresError {
                    try await connection.executeScript(
                        "INSERT INTO numbers VALUES ('script', 1); SELECT nonsense")
                }
                #expect(error.code == .server(.undefinedColumn))
                #expect(error.position == 50)
            }
            #expect(try await client.execute(Numbers(suite: "script")).isEmpty)
        }
    }

    @Test func `a script with a COPY fails, and the session stays usable`() async throws {
        try await withClient { client in
            try await client.withConnection { connection in
                let error = try await postgresError {
                    try await connection.executeScript("CREATE TEMP TABLE copied (t text); COPY copied FROM STDIN")
                }
                #expect(error.code == .invalidStatement)
                #expect(try await connection.execute(Add(left: 1, right: 2)) == [3])
            }
        }
    }
}
