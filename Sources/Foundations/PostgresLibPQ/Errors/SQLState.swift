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
    /// 22021: a text contains bytes that its encoding does not allow, such as a zero byte.
    package static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// 22P02: a text is not a valid value of the type.
    package static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// 23503: a referenced row does not exist, or a row is still referenced.
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let checkViolation = SQLState(rawValue: "23514")
    /// 25006: the server or the transaction is read-only.
    package static let readOnlySQLTransaction = SQLState(rawValue: "25006")
    /// 26000: the prepared statement does not exist.
    package static let invalidSQLStatementName = SQLState(rawValue: "26000")
    /// 40001: two transactions conflict, because they could not have run one after the other. Try again.
    package static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: two transactions waited for each other. Try again.
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    package static let undefinedColumn = SQLState(rawValue: "42703")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42710: The object, such as a role, already exists.
    package static let duplicateObject = SQLState(rawValue: "42710")
    package static let tooManyConnections = SQLState(rawValue: "53300")
    /// 55P03: another session holds the lock.
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 57014: the statement was cancelled, by its timeout or by another session.
    package static let queryCanceled = SQLState(rawValue: "57014")
    /// 57P01: the server is shutting down, or an administrator ended the session.
    package static let adminShutdown = SQLState(rawValue: "57P01")
    /// 57P03: the server is starting or stopping.
    package static let cannotConnectNow = SQLState(rawValue: "57P03")
}
