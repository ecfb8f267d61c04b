/// The five-character code of a server's answer (ISO/IEC 9075; PostgreSQL documentation, appendix A).
public struct SQLState: RawRepresentable, Hashable, Sendable {
    /// The five characters.
    public let rawValue: String

    /// Takes the code as it stands; it need not be one of those named here.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters: what kind of condition it is, such as `23` for a violated constraint.
    public var `class`: Substring {
        rawValue.prefix(2)
    }
}

extension SQLState {
    /// 0A000, which is also what a statement answers whose plan was made before its table changed.
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    /// 22001: a text is longer than its column.
    public static let stringDataRightTruncation = SQLState(rawValue: "22001")
    /// 22003: a number is out of its type's range.
    public static let numericValueOutOfRange = SQLState(rawValue: "22003")
    /// 22021: a text holds what its encoding does not allow, such as a zero byte.
    public static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// 22P02: a text is no value of the type.
    public static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// 23502: a column that must not be null would be.
    public static let notNullViolation = SQLState(rawValue: "23502")
    /// 23503: a row that is referred to is not there, or still referred to.
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// 23505: the key is there already.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23514: a CHECK constraint does not hold.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// 23P01: an exclusion constraint does not hold.
    public static let exclusionViolation = SQLState(rawValue: "23P01")
    /// 25006: the server, or the transaction, is read-only.
    public static let readOnlySQLTransaction = SQLState(rawValue: "25006")
    /// 25P02: an earlier statement of the transaction failed.
    public static let inFailedSQLTransaction = SQLState(rawValue: "25P02")
    /// 25P03: the server ended a session that left its transaction idle.
    public static let idleInTransactionSessionTimeout = SQLState(rawValue: "25P03")
    /// 26000: the prepared statement is not there.
    public static let invalidSQLStatementName = SQLState(rawValue: "26000")
    /// 28000: the user may not connect.
    public static let invalidAuthorizationSpecification = SQLState(rawValue: "28000")
    /// 28P01: the password is wrong.
    public static let invalidPassword = SQLState(rawValue: "28P01")
    /// 40001: two transactions that could not have run one after the other; try again.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: two transactions waited for each other; try again.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 42501: the user has no right to do this.
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42601: the statement is not SQL.
    public static let syntaxError = SQLState(rawValue: "42601")
    /// 42703: no such column.
    public static let undefinedColumn = SQLState(rawValue: "42703")
    /// 42883: no such function, or none for these types.
    public static let undefinedFunction = SQLState(rawValue: "42883")
    /// 42P01: no such table.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42P07: the table is there already.
    public static let duplicateTable = SQLState(rawValue: "42P07")
    /// 53300: the server takes no more connections.
    public static let tooManyConnections = SQLState(rawValue: "53300")
    /// 55P03: somebody else holds the lock.
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 57014: the statement was cancelled, by its timeout or by somebody.
    public static let queryCanceled = SQLState(rawValue: "57014")
    /// 57P01: the server is being stopped, or ended the session.
    public static let adminShutdown = SQLState(rawValue: "57P01")
    /// 57P02: another session crashed, and the server starts anew.
    public static let crashShutdown = SQLState(rawValue: "57P02")
    /// 57P03: the server is starting or stopping.
    public static let cannotConnectNow = SQLState(rawValue: "57P03")
}
