import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct QueryTests {
    @Test func `a value becomes a parameter of its type, and never text`() {
        let name = "'; DROP TABLE numbers; --"
        let query: PostgresQuery = "SELECT number FROM numbers WHERE suite = \(name) OR suite = \(name) LIMIT \(7)"
        #expect(query.sql == "SELECT number FROM numbers WHERE suite = $1 OR suite = $2 LIMIT $3")
        #expect(query.parameters.count == 3)
        let list: PostgresQuery = "INSERT INTO numbers VALUES (\(name, 7))"
        #expect(list.sql == "INSERT INTO numbers VALUES ($1, $2)")
        let columns: SQLText = "suite, number"
        let all: SQLText = "SELECT \(sql: columns) FROM numbers"
        let some: PostgresQuery = "\(sql: all) WHERE number = \(7)"
        #expect(some.sql == "SELECT suite, number FROM numbers WHERE number = $1")
    }

    @Test(arguments: [
        "'", "\"", "\\", "$1", "%s", "'; SELECT 1/0; --", "\\'; SELECT 1/0; --", "$$", "/*", "\u{2019}", "\u{1F4A3}",
        "",
        "\n\r\t", "\u{FF07}; DROP TABLE numbers",
    ])
    func `a hostile value comes back as it is`(_ value: String) async throws {
        try await withClient { client in
            let query: PostgresQuery = "SELECT \(value), \([value, value]), length(\(value)), '$2'"
            let rows = try await client.execute(PostgresRows<String, [String], Int, String>(query))
            let row = try #require(rows.first)
            #expect(row.0 == value)
            #expect(row.1 == [value, value])
            #expect(row.2 == value.unicodeScalars.count)
            #expect(row.3 == "$2")
        }
    }

    @Test func `a hostile value changes no other row`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "hostile"
            _ = try await client.execute(Insert(suite: suite, number: 1))
            for value in ["' OR true; --", "hostile' OR 'a' = 'a", "hostile'; DELETE FROM numbers; --"] {
                #expect(try await client.execute(PostgresQuery("DELETE FROM numbers WHERE suite = \(value)")) == 0)
            }
            #expect(try await client.execute(Numbers(suite: suite)) == [1])
        }
    }

    @Test func `a text with a zero is refused by the server`() async throws {
        try await withClient { client in
            let error = try await postgresError {
                _ = try await client.execute(PostgresRows<String>("SELECT \("a\0b")"))
            }
            #expect(error.sqlState == SQLState(rawValue: "22021"))
        }
    }

    @Test func `a nil is a null of its type`() async throws {
        try await withClient { client in
            let (text, number, bytes): (String?, Int?, [UInt8]?) = (nil, nil, nil)
            let rows = try await client.execute(
                PostgresRows<String?, Int?, [UInt8]?, String, String, String>(
                    """
                    SELECT \(text, number, bytes), pg_typeof(\(text))::text, pg_typeof(\(number))::text,
                        pg_typeof(\(bytes))::text
                    """))
            let row = try #require(rows.first)
            #expect(row.0 == nil && row.1 == nil && row.2 == nil)
            #expect(row.3 == "text" && row.4 == "bigint" && row.5 == "bytea")
        }
    }

    @Test func `a query alone answers how many rows have changed`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "changed rows"
            let numbers: [Int64] = [1, 2, 3]
            let insert: PostgresQuery = "INSERT INTO numbers SELECT \(suite), unnest(\(numbers))"
            #expect(try await client.execute(insert) == 3)
            #expect(
                try await client.execute(
                    PostgresQuery("DELETE FROM numbers WHERE suite = \(suite) AND number > \(1)")) == 2)
            #expect(try await client.execute(PostgresQuery("UPDATE numbers SET number = 2 WHERE suite = ''")) == 0)
        }
    }

    /// A record of two columns.
    private struct Pair: PostgresRowDecodable, Equatable {
        static let columns: SQLText = "suite, number"

        let suite: String
        let number: Int

        init(suite: String, number: Int) {
            self.suite = suite
            self.number = number
        }

        init(_ row: inout PostgresRow) throws(PostgresError) {
            self.init(suite: try row.next(), number: try row.next())
        }
    }

    @Test func `records and values share a row, in the order of its columns`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let pair = Pair(suite: "pairs", number: 4)
            let insert: PostgresQuery = """
                INSERT INTO numbers (\(sql: Pair.columns)) VALUES (\(pair.suite, pair.number))
                """
            _ = try await client.execute(insert)
            let rows = try await client.execute(
                PostgresRows<Bool, Pair, Int>(
                    "SELECT true, \(sql: Pair.columns), 7 FROM numbers WHERE suite = \(pair.suite)"))
            let row = try #require(rows.first)
            #expect(row.0 && row.1 == pair && row.2 == 7)
        }
    }

    @Test func `a row with too few columns, or columns of other types, is refused`() async throws {
        try await withClient { client in
            let short = try await postgresError { _ = try await client.execute(PostgresRows<Pair>("SELECT 'a'")) }
            #expect(short.code == .decoding)
            let other = try await postgresError { _ = try await client.execute(PostgresRows<Pair>("SELECT 1, 'a'")) }
            #expect(other.code == .decoding)
            let null = try await postgresError { _ = try await client.execute(PostgresRows<Int>("SELECT NULL::int")) }
            #expect(null.code == .decoding)
        }
    }

    @Test func `queries and statements share a batch, which takes effect as a whole`() async throws {
        try await withClient { client in
            try await makeNumbersTable(client)
            let suite = "mixed batch"
            let (sum, inserted, numbers, _) = try await client.batch(
                Add(left: 1, right: 2), PostgresQuery("INSERT INTO numbers VALUES (\(suite, 5))"),
                PostgresRows<Int>("SELECT number FROM numbers WHERE suite = \(suite)"), Sleep(seconds: 0))
            #expect(sum == [3] && inserted == 1 && numbers == [5])
            let error = try await postgresError {
                _ = try await client.batch(
                    PostgresQuery("INSERT INTO numbers VALUES (\(suite, 6))"), DivideByZero())
            }
            #expect(error.statementIndex == 1)
            #expect(try await client.execute(Numbers(suite: suite)) == [5])
        }
    }

    @Test func `the same text is prepared once, whatever its values are`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let prepared: PostgresQuery = "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT % * 41'"
            let none: Int? = nil
            for number in [1, 2, none] {
                _ = try await client.execute(
                    PostgresRows<Int?>("SELECT \(number) * 41"), function: "product(of:)")
            }
            let names = try await client.execute(PostgresRows<String>(prepared))
            #expect(names.count == 1 && names.first?.hasSuffix("_product") == true, "\(names)")
        }
    }
}
