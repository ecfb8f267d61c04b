import PostgresLibPQ
import Testing

struct Add: PostgresStatement {
    static let sql = "SELECT $1 + $2 AS sum"
    var left: Int
    var right: Int

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(left)
        parameters.append(right)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Int {
        try row.decode("sum")
    }
}

struct Failing: PostgresStatement {
    static let sql = "SELECT 1 / $1"
    func bind(_ parameters: inout PostgresParameters) { parameters.append(0) }
}

struct Sleep: PostgresStatement {
    static let sql = "SELECT pg_sleep($1)"
    var seconds: Double
    func bind(_ parameters: inout PostgresParameters) { parameters.append(seconds) }
}

@Suite struct ClientTests {
    @Test func `a statement returns its rows`() async throws {
        try await withClient { client in
            let sums = try await client.execute(Add(left: 40, right: 2))
            #expect(sums == [42])
        }
    }

    @Test func `an error carries the server's SQLSTATE`() async throws {
        try await withClient { client in
            let error = try await postgresError { _ = try await client.execute(Failing()) }
            #expect(error.code == .server(SQLState(rawValue: "22012")))
        }
    }

    @Test func `a batch of several types returns each one's rows`() async throws {
        try await withClient { client in
            let (sum, _, other) = try await client.batch(
                Add(left: 1, right: 2), Sleep(seconds: 0), Add(left: 3, right: 4))
            #expect(sum == [3])
            #expect(other == [7])
        }
    }

    @Test func `ten thousand concurrent statements share four connections`() async throws {
        try await withClient(configure: {
            $0.maximumConnections = 4; $0.maximumWaiters = 10_000
        }) { client in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10_000 {
                    group.addTask { try await client.execute(Add(left: number, right: 1))[0] }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 10_000 * 10_001 / 2)
        }
    }

    @Test func `a transaction commits on return and rolls back on throw`() async throws {
        try await withClient { client in
            let sum = try await client.withTransaction { connection in
                try await connection.execute(Add(left: 1, right: 1))
            }
            #expect(sum == [2])
            let error = try await postgresError {
                try await client.withTransaction { connection in
                    _ = try await connection.execute(Failing())
                }
            }
            #expect(error.code == .server(SQLState(rawValue: "22012")))
        }
    }

    @Test func `a lease runs scripts`() async throws {
        try await withClient { client in
            try await client.withConnection { connection in
                try await connection.executeScript("CREATE TEMP TABLE t (a int); INSERT INTO t VALUES (1)")
                #expect(try await connection.execute(Add(left: 1, right: 1)) == [2])
                try await connection.executeScript("SELECT 1")
            }
        }
    }
}
