import Testing

@testable import PostgresLibPQ

@Suite struct PreparedStatementsTests {
    private let one = PreparedKey(sql: "SELECT $1", types: [.text])
    private let other = PreparedKey(sql: "SELECT $1", types: [.int8])

    @Test func `the same SQL with other parameter types gets another name`() {
        var prepared = PreparedStatements(limit: 10)
        let first = prepared.register(one, label: "Echo")
        #expect(prepared.name(of: one) == first)
        #expect(prepared.name(of: other) == nil)
        #expect(prepared.register(other, label: "Echo") != first)
    }

    @Test func `a forgotten statement gets a new name`() {
        var prepared = PreparedStatements(limit: 10)
        let first = prepared.register(one, label: "Echo")
        prepared.forget(one, name: first)
        #expect(prepared.name(of: one) == nil)
        let second = prepared.register(one, label: "Echo")
        #expect(second != first)
        // A late answer about the first name does not affect the second.
        prepared.forget(one, name: first)
        #expect(prepared.name(of: one) == second)
    }

    @Test func `beyond the limit, the unnamed statement is used each time`() {
        var prepared = PreparedStatements(limit: 1)
        _ = prepared.register(one, label: "Echo")
        #expect(prepared.register(other, label: "Echo") == "")
        #expect(prepared.name(of: other) == nil)
    }

    @Test func `a name is shorter than 63 bytes`() {
        var prepared = PreparedStatements(limit: 1_000_000)
        let name = prepared.register(one, label: String(repeating: "ü", count: 30) + String(repeating: "L", count: 100))
        #expect(name.utf8.count < 63)
        #expect(name.hasSuffix("L"))
    }
}
