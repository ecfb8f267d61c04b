/// An error of a statement, a connection or the pool.
///
/// ``description`` is safe to log: it contains no parameters and no passwords. It contains the server's message only if
/// messages of that error class never quote a value. ``message`` and ``detail`` can quote one.
package struct PostgresError: Error, Sendable {
    package enum Code: Hashable, Sendable {
        /// The server rejected the statement.
        case server(SQLState)
        /// The connection ended while the statement was in flight. It is unknown whether the statement took effect.
        case connectionLost
        /// No connection could be opened. Nothing was sent.
        case cannotConnect
        /// Every connection was busy for the whole acquire timeout. Nothing was sent.
        case acquireTimeout
        /// Too many requests already wait for a connection. Nothing was sent.
        case tooManyWaiters
        /// The server cancelled the statement and rolled it back: it exceeded its timeout, or another session cancelled
        /// it.
        case statementTimeout
        /// The task was cancelled. If the statement had been sent, it is unknown whether it took effect.
        case cancelled
        /// The client has been stopped. Nothing was sent.
        case shutDown
        /// The connection string or a limit is invalid.
        case invalidConfiguration
        /// The statement has too many parameters, or the script contains a COPY.
        case invalidStatement
        /// The result does not match what the statement expects: a column is missing, is null or has another type, or
        /// the number of rows is wrong.
        case decoding
        /// A connection was used after its lease had ended.
        case leaseEnded
        /// The server sent an answer that the protocol does not allow at this point.
        case protocolViolation
    }

    package let code: Code

    /// The index of the failed statement in a batch of several, from 0. Nil for a single statement, and if the commit
    /// failed.
    package internal(set) var statementIndex: Int?

    private let reason: String?
    private let server: ServerReport?

    package init(_ code: Code, _ reason: String? = nil) {
        self.code = code
        self.reason = reason
        server = nil
    }

    init(_ code: Code, server: ServerReport) {
        self.code = code
        self.server = server
        reason = nil
    }
}

extension PostgresError {
    /// A connection was given up, because the server sent nothing for too long.
    static let silence = PostgresError(.connectionLost, "the server sent nothing within the time limit")

    var isSilence: Bool { code == .connectionLost && reason == Self.silence.reason }

    /// The server's error code; nil if the error does not come from the server.
    package var sqlState: SQLState? { server?.sqlState }

    /// The server's message, or the client's own. It can quote a value: do not log it.
    package var message: String { server?.message ?? reason ?? "" }

    /// Details from the server. They can quote a row: do not log them.
    package var detail: String? { server?.detail }

    /// The server's suggestion for a fix.
    package var hint: String? { server?.hint }

    package var constraint: String? { server?.constraint }

    package var table: String? { server?.table }

    package var column: String? { server?.column }

    /// The position of the error in the SQL text, in characters from 1.
    package var position: Int? { server?.position }

    /// Whether the database is unreachable or overloaded. A service should then answer "unavailable, try again later".
    package var isUnavailable: Bool {
        switch code {
        case .connectionLost, .cannotConnect, .acquireTimeout, .tooManyWaiters, .shutDown, .statementTimeout: true
        case .server(let state): ["08", "53", "57", "58"].contains(state.class) || state == .readOnlySQLTransaction
        default: false
        }
    }

    /// Whether the statement or transaction certainly had no effect and can succeed if it is tried again.
    package var isRetryable: Bool {
        switch code {
        case .cannotConnect, .acquireTimeout, .tooManyWaiters: true
        case .server(let state):
            [.serializationFailure, .deadlockDetected, .lockNotAvailable].contains(state)
                || server?.isStalePreparation == true
        default: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// The error for a log. It quotes no row and no parameter.
    package var description: String {
        // What libpq says then names the host and what is wrong; what is wrong with the configuration is for people, too.
        if code == .cannotConnect || code == .invalidConfiguration, let reason { return reason }
        var parts = ["\(code)"]
        if let state = sqlState, code != .server(state) { parts.append("SQLSTATE \(state.rawValue)") }
        if let statementIndex { parts.append("statement \(statementIndex)") }
        for (name, value) in [("table", table), ("column", column), ("constraint", constraint)] {
            if let value { parts.append("\(name) \(value)") }
        }
        if let position { parts.append("position \(position)") }
        if let text = server?.loggableMessage ?? reason { parts.append(text) }
        return parts.joined(separator: ", ")
    }
}

extension PostgresError.Code: CustomStringConvertible {
    package var description: String {
        switch self {
        case .server(let state): "server(\(state.rawValue))"
        case .connectionLost: "connectionLost"
        case .cannotConnect: "cannotConnect"
        case .acquireTimeout: "acquireTimeout"
        case .tooManyWaiters: "tooManyWaiters"
        case .statementTimeout: "statementTimeout"
        case .cancelled: "cancelled"
        case .shutDown: "shutDown"
        case .invalidConfiguration: "invalidConfiguration"
        case .invalidStatement: "invalidStatement"
        case .decoding: "decoding"
        case .leaseEnded: "leaseEnded"
        case .protocolViolation: "protocolViolation"
        }
    }
}
