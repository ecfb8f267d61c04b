/// The five-character error code of the server (ISO/IEC 9075; PostgreSQL documentation, appendix A).
package struct SQLState: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    /// Takes any code, also one that has no constant here.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters, the kind of error, such as `23` for a violated constraint.
    package var `class`: Substring {
        rawValue.prefix(2)
    }
}

extension SQLState {
    /// 0A000: the server does not support this. It is also the error of a statement that was prepared before its table
    /// changed.
    package static let featureNotSupported = SQLState(rawValue: "0A000")
    /// 22001: a text is too long for its column.
    package static let stringDataRightTruncation = SQLState(rawValue: "22001")
    /// 22003: a number is out of the range of its type.
    package static let numericValueOutOfRange = SQLState(rawValue: "22003")
    /// 22021: a text contains bytes that its encoding does not allow, such as a zero byte.
    package static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// 22P02: a text is not a valid value of the type.
    package static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// 23502: a column that must not be null would become null.
    package static let notNullViolation = SQLState(rawValue: "23502")
    /// 23503: a referenced row does not exist, or a row is still referenced.
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// 23505: the key already exists.
    package static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23514: a CHECK constraint is violated.
    package static let checkViolation = SQLState(rawValue: "23514")
    /// 23P01: an exclusion constraint is violated.
    package static let exclusionViolation = SQLState(rawValue: "23P01")
    /// 25006: the server or the transaction is read-only.
    package static let readOnlySQLTransaction = SQLState(rawValue: "25006")
    /// 25P02: an earlier statement of the transaction failed.
    package static let inFailedSQLTransaction = SQLState(rawValue: "25P02")
    /// 25P03: the server ended a session because its transaction was idle for too long.
    package static let idleInTransactionSessionTimeout = SQLState(rawValue: "25P03")
    /// 26000: the prepared statement does not exist.
    package static let invalidSQLStatementName = SQLState(rawValue: "26000")
    /// 28000: the user may not connect.
    package static let invalidAuthorizationSpecification = SQLState(rawValue: "28000")
    /// 28P01: the password is wrong.
    package static let invalidPassword = SQLState(rawValue: "28P01")
    /// 40001: two transactions conflict, because they could not have run one after the other. Try again.
    package static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: two transactions waited for each other. Try again.
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 42501: the user lacks the privilege.
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42601: the statement is not valid SQL.
    package static let syntaxError = SQLState(rawValue: "42601")
    /// 42703: the column does not exist.
    package static let undefinedColumn = SQLState(rawValue: "42703")
    /// 42883: the function does not exist, or not for these types.
    package static let undefinedFunction = SQLState(rawValue: "42883")
    /// 42P01: the table does not exist.
    package static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42P07: the table already exists.
    package static let duplicateTable = SQLState(rawValue: "42P07")
    /// 42710: The object, such as a role, already exists.
    package static let duplicateObject = SQLState(rawValue: "42710")
    /// 53300: the server accepts no more connections.
    package static let tooManyConnections = SQLState(rawValue: "53300")
    /// 55P03: another session holds the lock.
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 57014: the statement was cancelled, by its timeout or by another session.
    package static let queryCanceled = SQLState(rawValue: "57014")
    /// 57P01: the server is shutting down, or an administrator ended the session.
    package static let adminShutdown = SQLState(rawValue: "57P01")
    /// 57P02: another session crashed, and the server restarts.
    package static let crashShutdown = SQLState(rawValue: "57P02")
    /// 57P03: the server is starting or stopping.
    package static let cannotConnectNow = SQLState(rawValue: "57P03")
}
