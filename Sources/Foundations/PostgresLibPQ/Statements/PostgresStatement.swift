/// SQL that a client can run, alone or in a batch. A connection prepares each text once. After that it sends only the
/// parameters.
package protocol PostgresExecutable: Sendable {
    /// The type of the whole answer: the rows or, for a ``PostgresChange``, the number of changed rows.
    associatedtype Answer: Sendable

    /// The SQL text: one command, with `$1`, `$2`… for the parameters.
    var sql: String { get }

    /// The parameters, in the order of their numbers.
    var parameters: PostgresParameters { get }

    func read(_ result: PostgresResult) throws(PostgresError) -> Answer
}

/// SQL that returns no rows. Its answer is the number of rows that it inserted, updated or deleted.
package protocol PostgresChange: PostgresExecutable where Answer == Int {}

extension PostgresChange {
    package func read(_ result: PostgresResult) -> Int {
        result.affectedRowCount
    }
}

/// One SQL statement with its typed parameters and rows, whose text is made once. It is for what runs often; for the rest
/// there is ``PostgresQuery``.
package protocol PostgresStatement: PostgresExecutable {
    /// The type that each row is decoded into; `Void` if the statement returns no rows.
    associatedtype Row: Sendable = Void

    associatedtype Answer = [Row]

    static var sql: String { get }

    /// Appends the parameters, in the order of their numbers.
    func bind(_ parameters: inout PostgresParameters)

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Row
}

/// A statement that returns no rows.
package protocol PostgresCommand: PostgresStatement, PostgresChange where Row == Void {}

extension PostgresStatement {
    package var sql: String { Self.sql }

    package var parameters: PostgresParameters {
        var parameters = PostgresParameters()
        bind(&parameters)
        return parameters
    }

    /// Does nothing: the default for a statement without parameters.
    package func bind(_ parameters: inout PostgresParameters) {}
}

extension PostgresStatement where Row == Void {
    /// Does nothing: the default for a statement without rows.
    package static func decode(_ row: inout PostgresRow) throws(PostgresError) {}
}

extension PostgresStatement where Row: PostgresRowDecodable {
    package static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Row {
        try Row(&row)
    }
}

extension PostgresStatement where Answer == [Row] {
    package func read(_ result: PostgresResult) throws(PostgresError) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount {
            var row = PostgresRow(result, index)
            rows.append(try Self.decode(&row))
        }
        return rows
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

    /// - Parameter label: the caller's function.
    init(_ statement: some PostgresExecutable, label: String) throws(PostgresError) {
        let parameters = statement.parameters
        guard parameters.count <= PostgresParameters.maximumCount else {
            throw PostgresError(.invalidStatement, "more than \(PostgresParameters.maximumCount) parameters")
        }
        self.init(sql: statement.sql, label: label, parameters: parameters)
    }
}
