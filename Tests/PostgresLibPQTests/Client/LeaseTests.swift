import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(5))) struct LeaseTests {
    @Test func `a transaction commits on return, and rolls back on throw`() async throws {
        struct Refused: Error {}
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "transactions"
            try await client.withTransaction(isolation: .serializable) { connection in
                _ = try await connection.execute(Insert(suite: suite, number: 1))
                _ = try await connection.batch([Insert(suite: suite, number: 2)])
            }
            await #expect(throws: Refused.self) {
                try await client.withTransaction { connection in
                    _ = try await connection.execute(Insert(suite: suite, number: 3))
                    throw Refused()
                }
            }
            #expect(try await client.execute(Numbers(suite: suite)) == [1, 2])
        }
    }

    @Test func `a transaction fails if its body ignores the error of a statement`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "swallowed"
            let error = try await postgresError {
                try await client.withTransaction { connection in
                    _ = try await connection.execute(Insert(suite: suite, number: 1))
                    _ = try? await connection.execute(DivideByZero())
                }
            }
            #expect(error.code == .transactionAborted)
            #expect(try await client.execute(Numbers(suite: suite)).isEmpty)
        }
    }

    @Test func `a serialization failure is retryable`() async throws {
        try await withClient(configure: { $0.maximumConnections = 3 }) { client in
            try await makeNumbersTable(client)
            let suite = "serializable"
            let error = try await postgresError {
                try await client.withTransaction(isolation: .serializable) { first in
                    _ = try await first.execute(Numbers(suite: suite))
                    try await client.withTransaction(isolation: .serializable) { second in
                        _ = try await second.execute(Numbers(suite: suite))
                        _ = try await second.execute(Insert(suite: suite, number: 1))
                    }
                    _ = try await first.execute(Insert(suite: suite, number: 2))
                }
            }
            #expect(error.code == .server(.serializationFailure))
            #expect(error.isRetryable)
        }
    }

    @Test func `a stale prepared statement fails its transaction and is not sent again`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            _ = try await client.execute(Add(left: 1, right: 2))
            let error = try await postgresError {
                try await client.withTransaction { connection in
                    struct Deallocate: PostgresStatement { static let sql = "DEALLOCATE ALL" }
                    _ = try await connection.execute(Deallocate())
                    _ = try await connection.execute(Add(left: 1, right: 2))
                }
            }
            #expect(error.code == .server(.invalidSQLStatementName))
            #expect(error.isRetryable)
            #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
        }
    }

    @Test func `the body of a transaction can use the state of its actor`() async throws {
        actor Counter {
            private var count = 0

            func countIn(_ client: PostgresClient) async throws -> Int {
                try await client.withTransaction { connection in
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
            static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> [String] {
                [
                    try row.decode(0), "\(try row.decode(1, as: Bool.self))", "\(try row.decode(2, as: Int.self))",
                    "\(try row.decode(3, as: Int.self))", "\(try row.decode(4, as: Int.self))",
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
            let copy = try await postgresError { _ = try await kept.copyIn("COPY x FROM STDIN", from: chunks([])) }
            #expect(copy.code == .leaseEnded)
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

    @Test func `notifications arrive`() async throws {
        struct Notify: PostgresStatement {
            static let sql = "SELECT pg_notify('the \"channel\"', $1)"
            var text: String
            func bind(_ parameters: inout PostgresParameters) { parameters.append(text) }
        }
        try await withClient { client in
            let stream = try await client.withConnection { connection in
                let stream = try await connection.listen(to: ["the \"channel\""])
                for text in ["one", "two"] { _ = try await client.execute(Notify(text: text)) }
                var received: [String] = []
                for await notification in stream.prefix(2) { received.append(notification.payload) }
                #expect(received == ["one", "two"])
                return stream
            }
            for await _ in stream { Issue.record("the stream must end with the lease") }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct CopyTests {
    private struct Sum: PostgresStatement {
        static let sql = "SELECT count(*), coalesce(sum(length(t)), 0) FROM copied WHERE suite = $1"
        var suite: String
        func bind(_ parameters: inout PostgresParameters) { parameters.append(suite) }
        static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> [Int] {
            [try row.decode(0), try row.decode(1)]
        }
    }

    private static let copy = "COPY copied (suite, t) FROM STDIN"

    private func withTable(_ body: @Sendable @escaping (PostgresClient) async throws -> Void) async throws {
        try await withClient { client in
            try await client.withConnection { connection in
                try await connection.executeScript(
                    "SELECT pg_advisory_xact_lock(2); CREATE TABLE IF NOT EXISTS copied (suite text, t text)")
            }
            try await body(client)
        }
    }

    @Test func `40 MB are copied in`() async throws {
        try await withTable { client in
            let line = Array("large\t\(String(repeating: "x", count: 99_990))\n".utf8)
            let count = try await client.withConnection { connection in
                let count = try await connection.copyIn(Self.copy, from: chunks(Array(repeating: line, count: 400)))
                #expect(try await connection.execute(Add(left: 1, right: 2)) == [3])
                return count
            }
            #expect(count == 400)
            #expect(try await client.execute(Sum(suite: "large")) == [[400, 400 * 99_990]])
        }
    }

    @Test func `data in binary format are copied in`() async throws {
        // The format's signature, flags and extension, then one row of two fields, then the end marker.
        var bytes = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
        bytes += [0, 2] + [0, 0, 0, 6] + Array("binary".utf8) + [0, 0, 0, 1, 0x78] + [0xff, 0xff]
        let data = bytes
        try await withTable { client in
            let count = try await client.withConnection { connection in
                try await connection.copyIn(
                    "COPY copied (suite, t) FROM STDIN (FORMAT binary)", from: chunks(data.map { [$0] }))
            }
            #expect(count == 1)
            #expect(try await client.execute(Sum(suite: "binary")) == [[1, 1]])
        }
    }

    @Test func `a COPY with a malformed row fails, and nothing is copied`() async throws {
        try await withTable { client in
            try await client.withConnection { connection in
                let error = try await postgresError {
                    // The server refuses the second row long before the end of the data.
                    let rows = ["wrong\tx\n", "wrong\tx\ty\tz\n", ""].map { Array($0.utf8) }
                    let slow = chunks(rows).map { row in
                        if row.isEmpty { try await Task.sleep(for: .milliseconds(300)) }
                        return row
                    }
                    _ = try await connection.copyIn(Self.copy, from: slow)
                }
                #expect(error.sqlState == SQLState(rawValue: "22P04"))
                #expect(try await connection.execute(Sum(suite: "wrong")) == [[0, 0]])
            }
        }
    }

    @Test func `a COPY fails if its source throws, and nothing is copied`() async throws {
        struct NoMore: Error {}
        try await withTable { client in
            try await client.withConnection { connection in
                await #expect(throws: NoMore.self) {
                    _ = try await connection.copyIn(
                        Self.copy,
                        from: AsyncThrowingStream<[UInt8], any Error> { continuation in
                            continuation.yield(Array("thrown\tx\n".utf8))
                            continuation.finish(throwing: NoMore())
                        })
                }
                let sums = try await connection.execute(Sum(suite: "thrown"))
                #expect(sums == [[0, 0]])
            }
        }
    }

    @Test func `a cancelled COPY leaves the session usable`() async throws {
        try await withTable { client in
            let process = try await client.withConnection { connection in
                let (endless, _) = AsyncStream<[UInt8]>.makeStream()
                let task = Task { try await connection.copyIn(Self.copy, from: endless) }
                try await Task.sleep(for: .milliseconds(200))
                task.cancel()
                _ = await task.result
                return try await connection.execute(BackendProcess())
            }
            #expect(process.count == 1)
            #expect(try await client.execute(Sum(suite: "endless")) == [[0, 0]])
        }
    }

    @Test func `copyIn refuses a SELECT, and executeScript refuses a COPY`() async throws {
        try await withTable { client in
            try await client.withConnection { connection in
                let select = try await postgresError {
                    _ = try await connection.copyIn("SELECT 1", from: chunks([]))
                }
                #expect(select.code == .invalidStatement)
                let script = try await postgresError { try await connection.executeScript(Self.copy) }
                #expect(script.code == .invalidStatement)
                #expect(try await connection.execute(Add(left: 1, right: 2)) == [3])
            }
        }
    }
}

private func chunks(_ all: [[UInt8]]) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
        for chunk in all { continuation.yield(chunk) }
        continuation.finish()
    }
}
