import PostgresHarness
import PostgresLibPQ
import Testing

/// A value that the tests send as a parameter. The expected text comes from the server (`$1::text`).
private typealias Bindable = PostgresDecodable & PostgresEncodable & Sendable

private struct Echo<Value: PostgresDecodable & Sendable>: PostgresStatement {
    static var sql: String { "SELECT $1 AS value, $1::text AS text" }
    let append: @Sendable (inout PostgresParameters) -> Void

    func bind(_ parameters: inout PostgresParameters) { append(&parameters) }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> (Value, String?) {
        (try row.next(), try row.next())
    }
}

@Suite(.timeLimit(.minutes(15))) struct ValueTests {
    @Test(arguments: [
        (String(), ""), ("Ünïcødé 😀 \u{1}", "Ünïcødé 😀 \u{1}"), (String(repeating: "a", count: 100_000), nil),
    ])
    func `text makes the round trip`(value: String, text: String?) async throws {
        try await expectEcho(value, text ?? value)
    }

    @Test func `integers make the round trip`() async throws {
        for value in [Int16.min, -1, 0, .max] { try await expectEcho(value, "\(value)") }
        for value in [Int32.min, -1, 0, .max] { try await expectEcho(value, "\(value)") }
        for value in [Int64.min, -1, 0, .max] { try await expectEcho(value, "\(value)") }
        for value in [Int.min, -1, 0, .max] { try await expectEcho(value, "\(value)") }
    }

    @Test func `booleans make the round trip`() async throws {
        try await expectEcho(true, "true")
        try await expectEcho(false, "false")
    }

    @Test func `floating-point numbers make the round trip`() async throws {
        try await expectEcho(0.1, "0.1")
        try await expectEcho(-Double.infinity, "-Infinity")
        try await expectEcho(Double.greatestFiniteMagnitude, "1.7976931348623157e+308")
        try await expectEcho(Double.leastNonzeroMagnitude, "5e-324")
    }

    @Test func `timestamps make the round trip`() async throws {
        try await withUTC {
            try await expectEcho(PostgresTimestamp(microseconds: 0), "1970-01-01 00:00:00+00", $0)
            try await expectEcho(PostgresTimestamp(microseconds: -1), "1969-12-31 23:59:59.999999+00", $0)
            try await expectEcho(PostgresTimestamp(seconds: 951_782_400), "2000-02-29 00:00:00+00", $0)
            try await expectEcho(PostgresTimestamp(seconds: 253_402_300_799), "9999-12-31 23:59:59+00", $0)
            let last = PostgresTimestamp(microseconds: .max)
            try await expectEcho(last, "294247-01-10 04:00:54.775807+00", $0)
        }
    }

    @Test func `the server refuses a timestamp out of its range`() async throws {
        for microseconds in [Int64.min, Int64.min + 1, -300_000_000_000_000_000] {
            let error = try await postgresError {
                _ = try await echo(PostgresTimestamp(microseconds: microseconds))
            }
            #expect(error.sqlState == SQLState(rawValue: "22008"))
        }
    }

    @Test func `seconds are rounded down, and values out of range are clamped`() {
        #expect(PostgresTimestamp(microseconds: -1).seconds == -1)
        #expect(PostgresTimestamp(microseconds: 1_999_999).seconds == 1)
        #expect(PostgresTimestamp(seconds: -7).seconds == -7)
        #expect(PostgresTimestamp(microseconds: .min).seconds == Int64.min / 1_000_000 - 1)
        #expect(PostgresTimestamp(seconds: .max).microseconds == .max)
        #expect(PostgresTimestamp(seconds: .min).microseconds == .min)
    }

    @Test func `bytes make the round trip`() async throws {
        let all = (0...255).map { UInt8($0) }
        let hexadecimal = all.map { "0123456789abcdef".pick($0 >> 4) + "0123456789abcdef".pick($0 & 15) }.joined()
        try await expect(Echo<[UInt8]> { $0.append(all) }, all, "\\x\(hexadecimal)")
        try await expect(Echo<[UInt8]> { $0.append([UInt8]()) }, [], "\\x")
    }

    @Test func `arrays make the round trip`() async throws {
        let texts = ["", "a", "NULL", "with \"quotes\", commas and {braces}"]
        let written = #"{"",a,"NULL","with \"quotes\", commas and {braces}"}"#
        try await expect(Echo<[String]> { $0.append(texts) }, texts, written)
        try await expect(Echo<[String]> { $0.append([String]()) }, [], "{}")
        try await expect(Echo<[[UInt8]]> { $0.append([[1, 2], []]) }, [[1, 2], []], #"{"\\x0102","\\x"}"#)
        try await expect(Echo<[Int32]> { $0.append([Int32.min, .max]) }, [.min, .max], "{-2147483648,2147483647}")
        try await expect(Echo<[Int64]> { $0.append([Int64.max]) }, [.max], "{9223372036854775807}")
    }

    @Test func `NULL makes the round trip for every type`() async throws {
        try await expect(Echo<String?> { $0.append(nil as String?) }, nil, nil)
        try await expect(Echo<[UInt8]?> { $0.append(nil as [UInt8]?) }, nil, nil)
        try await expect(Echo<Int32?> { $0.append(nil as Int32?) }, nil, nil)
        try await expect(Echo<Int64?> { $0.append(nil as Int64?) }, nil, nil)
        try await expect(Echo<Int?> { $0.append(nil as Int?) }, nil, nil)
        try await expect(Echo<Bool?> { $0.append(nil as Bool?) }, nil, nil)
        try await expect(Echo<Double?> { $0.append(nil as Double?) }, nil, nil)
        try await expect(Echo<PostgresTimestamp?> { $0.append(nil as PostgresTimestamp?) }, nil, nil)
        try await expect(Echo<String?> { $0.append("there" as String?) }, "there", "there")
    }

    @Test func `decoding NULL or another type throws, and the error names the column`() async throws {
        let null = try await decodingError(Echo<String> { $0.append(nil as String?) })
        #expect("\(null)".contains("value"))
        _ = try await decodingError(Echo<Int> { $0.append("1") })
        _ = try await decodingError(Echo<String> { $0.append(1) })
        _ = try await decodingError(Echo<Int32> { $0.append(1) })
        _ = try await decodingError(Echo<Bool> { $0.append(Int32(1)) })
        _ = try await decodingError(Echo<[String]> { $0.append([UInt8(1)]) })
    }

    @Test func `further server types are decoded`() async throws {
        struct Literals: PostgresStatement {
            static let sql = """
                SELECT 'a'::varchar, 'b'::char(3), '{"c": 1}'::jsonb, '{"d":2}'::json, 1::int2, 1.5::float4,
                    'e'::name, NULL::int4, '{x,y}'::varchar[], 'infinity'::timestamptz
                """

            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> [String] {
                [
                    try row.next(), try row.next(), try row.next(),
                    try row.next(), "\(try row.next(as: Int.self))",
                    "\(try row.next(as: Double.self))", try row.next(),
                    "\(try row.next(as: Int32?.self) == nil)",
                    try row.next(as: [String].self).joined(separator: "+"),
                    (try? row.next(as: PostgresTimestamp.self)) == nil ? "no moment" : "",
                ]
            }
        }
        try await withClient { client in
            let rows = try await client.execute(Literals())
            #expect(
                rows == [["a", "b  ", #"{"c": 1}"#, #"{"d":2}"#, "1", "1.5", "e", "true", "x+y", "no moment"]])
        }
    }

    @Test func `a database enum is decoded as a Swift enum with string raw values`() async throws {
        enum Mood: String, PostgresDecodable { case happy, sad }
        struct Moods: PostgresStatement {
            static let sql = "SELECT unnest(ARRAY['happy', $1])::mood"
            var second: String
            func bind(_ parameters: inout PostgresParameters) { parameters.append(second) }
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Mood { try row.next() }
        }
        try await withClient { client in
            try await client.withConnection { connection in
                try await connection.executeScript("CREATE TYPE mood AS ENUM ('happy', 'sad', 'other')")
            }
            #expect(try await client.execute(Moods(second: "sad")) == [.happy, .sad])
            let error = try await postgresError { _ = try await client.execute(Moods(second: "other")) }
            #expect(error.code == .decoding)
        }
    }

    @Test func `decoding throws if there is no further column`() async throws {
        struct One: PostgresStatement {
            static let sql = "SELECT 1"
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> [Bool] {
                [try row.next(as: Int.self) == 1, (try? row.next(as: Int.self)) == nil]
            }
        }
        try await withClient { client in
            let rows = try await client.execute(One())
            #expect(rows == [[true, true]])
        }
    }

    @Test func `the server refuses a text with a zero byte`() async throws {
        let error = try await postgresError { _ = try await echo("a\u{0}b") }
        #expect(error.code == .server(.characterNotInRepertoire))
    }

    @Test func `more than 65,535 parameters are refused before anything is sent`() async throws {
        struct Many: PostgresStatement {
            static let sql = "SELECT 1"
            func bind(_ parameters: inout PostgresParameters) {
                for number in 0..<65_536 { parameters.append(number) }
            }
        }
        try await withClient { client in
            let error = try await postgresError { _ = try await client.execute(Many()) }
            #expect(error.code == .invalidStatement)
        }
    }
}

private func withUTC(_ body: (String) async throws -> Void) async throws {
    try await body(try await NetworkCluster.shared().url + " options='-c TimeZone=UTC'")
}

private func expectEcho<Value: Bindable & Equatable>(
    _ value: Value, _ text: String, _ url: String? = nil
) async throws {
    let (echoed, written) = try await echo(value, url)
    #expect(echoed == value)
    #expect(written == text)
}

private func echo<Value: Bindable>(_ value: Value, _ url: String? = nil) async throws -> (Value, String?) {
    try await withClient(url) { client in
        try await client.execute(Echo<Value> { value.append(to: &$0) })[0]
    }
}

private func expect<Value: Equatable & Sendable & PostgresDecodable>(
    _ statement: Echo<Value>, _ value: Value, _ text: String?
) async throws {
    let (echoed, written) = try await withClient { client in try await client.execute(statement)[0] }
    #expect(echoed == value)
    #expect(written == text)
}

private func decodingError<Value>(_ statement: Echo<Value>) async throws -> PostgresError {
    let error = try await postgresError {
        _ = try await withClient { client in try await client.execute(statement)[0] }
    }
    #expect(error.code == .decoding)
    return error
}

extension String {
    fileprivate func pick(_ index: UInt8) -> String {
        String(self[self.index(startIndex, offsetBy: Int(index))])
    }
}
