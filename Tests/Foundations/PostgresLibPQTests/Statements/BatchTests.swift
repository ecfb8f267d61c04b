import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct BatchTests {
    @Test func `a batch of several types returns the rows of each`() async throws {
        try await withClient { client in
            let (sum, _, other) = try await client.batch(
                Add(left: 1, right: 2), Sleep(seconds: 0), Add(left: 3, right: 4))
            #expect(sum == [3])
            #expect(other == [7])
        }
    }

    @Test func `an error in a batch rolls back that batch only`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            try await makeNumbersTable(client)
            let suite = "error in a batch"
            async let before: Void = { _ = try await client.execute(Insert(suite: suite, number: 1)) }()
            async let failed = postgresError {
                _ = try await client.batch(
                    Insert(suite: suite, number: 2), DivideByZero(), Insert(suite: suite, number: 3))
            }
            async let after: Void = { _ = try await client.execute(Insert(suite: suite, number: 4)) }()
            _ = try await (before, after)
            let error = try await failed
            #expect(error.code == .server(SQLState(rawValue: "22012")))
            #expect(error.statementIndex == 1)
            #expect(try await client.execute(Numbers(suite: suite)) == [1, 4])
        }
    }

    @Test func `a constraint that fails at the commit fails the batch`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "deferred"
            let error = try await postgresError {
                _ = try await client.batch(Insert(suite: suite, number: 1), Insert(suite: suite, number: 1))
            }
            #expect(error.code == .server(.uniqueViolation))
            #expect(error.table == "numbers")
            #expect(error.constraint == "numbers_pkey")
            #expect(try await client.execute(Numbers(suite: suite)).isEmpty)
        }
    }

    @Test func `an error names the constraint, and its description quotes no value`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let error = try await postgresError {
                _ = try await client.execute(Insert(suite: "a very private value", number: 1_000_000))
            }
            #expect(error.sqlState == .checkViolation)
            #expect(error.constraint == "number_is_small")
            #expect(error.detail?.contains("a very private value") == true)
            #expect(!"\(error)".contains("private"))
            #expect("\(error)".contains("number_is_small"))
        }
    }

    @Test func `a statement of a batch can use what an earlier one created`() async throws {
        struct Create: PostgresStatement {
            static let sql = "CREATE TABLE IF NOT EXISTS made_in_a_batch (a int)"
        }
        struct Use: PostgresStatement {
            static let sql = "SELECT count(*) FROM made_in_a_batch"
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int { try row.next() }
        }
        try await withClient { client in
            let (_, count) = try await client.batch(Create(), Use())
            #expect(count == [0])
        }
    }
}
