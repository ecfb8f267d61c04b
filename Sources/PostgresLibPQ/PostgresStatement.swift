/// One SQL statement with its typed parameters and rows.
///
/// A connection prepares it once, under a name made from the type, and from then on sends only the parameters.
public protocol PostgresStatement: Sendable {
    /// What each row is read into; `Void` where no rows matter.
    associatedtype Row: Sendable = Void

    /// The statement: one command, with `$1`… for its parameters.
    static var sql: String { get }

    /// Appends the parameters, in the order of their numbers.
    func bind(_ parameters: inout PostgresParameters)

    /// Reads one row.
    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row
}

extension PostgresStatement {
    /// Nothing, for a statement without parameters.
    public func bind(_ parameters: inout PostgresParameters) {}
}

extension PostgresStatement where Row == Void {
    /// Nothing, for a statement without rows.
    public static func decode(_ row: borrowing PostgresRow) throws(PostgresError) {}
}

/// What a statement is prepared as: the same SQL for other types of parameters is another plan.
struct PreparedKey: Hashable, Sendable {
    let sql: String
    let types: [PostgresType]
}

/// A statement with its values, ready to be sent.
struct BoundStatement: Sendable {
    let key: PreparedKey
    /// For a person who reads the server's list of prepared statements.
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
