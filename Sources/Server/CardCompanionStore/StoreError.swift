internal import PostgresLibPQ

/// Why the store could not do what it was asked. The reasons are safe to log: they quote no row and no parameter.
package enum StoreError: Error, Equatable {
    /// The database cannot be reached or is overloaded. Nothing was written.
    case unavailable(reason: String)
    /// The connection ended while the statement ran. It may have taken effect.
    case outcomeUnknown(reason: String)
    /// Another transaction was in the way. Nothing was written, and a new attempt may succeed.
    case conflict(reason: String)
    /// The row belongs to a bank that does not exist.
    case bankNotFound
    /// The database refused the statement: a constraint, a missing permission, or a fault of this program.
    case refused(reason: String)
    /// The database has a row that this program does not understand.
    case unreadable(reason: String)
    /// The database URL cannot be read, or a limit makes no sense.
    case invalidConfiguration(reason: String)
    /// The task was cancelled. If the statement had been sent, it may have taken effect.
    case cancelled

    init(_ error: PostgresError) {
        let reason = error.description
        self =
            switch error.code {
            case .connectionLost: .outcomeUnknown(reason: reason)
            case .cancelled: .cancelled
            case .invalidConfiguration: .invalidConfiguration(reason: reason)
            case .decoding: .unreadable(reason: reason)
            case _ where error.isUnavailable: .unavailable(reason: reason)
            case .server(.uniqueViolation): .conflict(reason: reason)
            case _ where error.isRetryable: .conflict(reason: reason)
            case .server(.foreignKeyViolation): .bankNotFound
            case .server(.insufficientPrivilege):
                .refused(
                    reason:
                        "the role of database.url may not do this (\(error.message)). 'card-companion migrate' needs the role that "
                        + "owns the schema, everything else a role in the group card_companion_service")
            default: .refused(reason: reason)
            }
    }

    /// Whether the same request may succeed later without any change.
    package var isTemporary: Bool {
        switch self {
        case .unavailable, .outcomeUnknown, .conflict: true
        case .bankNotFound, .refused, .unreadable, .invalidConfiguration, .cancelled: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "the database is not available: \(reason)"
        case .outcomeUnknown(let reason): "the connection to the database was lost: \(reason)"
        case .conflict(let reason): "another transaction was in the way: \(reason)"
        case .bankNotFound: "there is no such bank"
        case .refused(let reason): "the database refused the statement: \(reason)"
        case .unreadable(let reason): "the database has something that this program does not understand: \(reason)"
        case .invalidConfiguration(let reason): "the database configuration is wrong: \(reason)"
        case .cancelled: "the task was cancelled"
        }
    }
}
