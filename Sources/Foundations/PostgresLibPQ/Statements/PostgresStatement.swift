/// One SQL statement with its typed parameters and rows.
///
/// A connection prepares the statement once, with a name made from the Swift type. After that it sends only the
/// parameters.
package protocol PostgresStatement: Sendable {
    /// The type that each row is decoded into; `Void` if the statement returns no rows.
    associatedtype Row: Sendable = Void

    /// The type of the whole answer: the rows or, for a ``PostgresCommand``, the number of changed rows.
    associatedtype Answer: Sendable = [Row]

    /// The SQL text: one command, with `$1`, `$2`… for the parameters.
    static var sql: String { get }

    /// Appends the parameters, in the order of their numbers.
    func bind(_ parameters: inout PostgresParameters)

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row

    static func read(_ result: PostgresResult) throws(PostgresError) -> Answer
}

/// A statement that returns no rows. Its answer is the number of rows that it inserted, updated or deleted.
package protocol PostgresCommand: PostgresStatement where Row == Void, Answer == Int {}

extension PostgresStatement {
    /// Does nothing: the default for a statement without parameters.
    package func bind(_ parameters: inout PostgresParameters) {}
}

extension PostgresStatement where Row == Void {
    /// Does nothing: the default for a statement without rows.
    package static func decode(_ row: borrowing PostgresRow) throws(PostgresError) {}
}

extension PostgresStatement where Row: PostgresDecodable {
    /// Reads the only column.
    package static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row {
        try row.decode(0)
    }
}

/// A type that reads itself from the columns of a row.
package protocol PostgresRowDecodable {
    init(_ row: borrowing PostgresRow) throws(PostgresError)
}

extension PostgresStatement where Row: PostgresRowDecodable {
    package static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row {
        try Row(row)
    }
}

extension PostgresStatement where Answer == [Row] {
    package static func read(_ result: PostgresResult) throws(PostgresError) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount { rows.append(try decode(PostgresRow(result, index))) }
        return rows
    }
}

extension PostgresCommand {
    package static func read(_ result: PostgresResult) -> Int {
        result.affectedRowCount
    }
}

/// Identifies a prepared statement. The same SQL with other parameter types is a different prepared statement.
struct PreparedKey: Hashable, Sendable {
    let sql: String
    let types: [PostgresType]
}

/// A statement with its parameter values, ready to be sent.
struct BoundStatement: Sendable {
    let key: PreparedKey
    /// A readable part of the prepared statement's name, for people who read `pg_prepared_statements`.
    let label: String
    let parameters: PostgresParameters

    init(sql: String, label: String, parameters: PostgresParameters = PostgresParameters()) {
        key = PreparedKey(sql: sql, types: parameters.types)
        self.label = label
        self.parameters = parameters
    }

    init<Statement: PostgresStatement>(_ statement: Statement) throws(PostgresError) {
        var parameters = PostgresParameters()
        statement.bind(&parameters)
        guard parameters.count <= PostgresParameters.maximumCount else {
            throw PostgresError(.invalidStatement, "more than \(PostgresParameters.maximumCount) parameters")
        }
        self.init(sql: Statement.sql, label: "\(Statement.self)", parameters: parameters)
    }
}
