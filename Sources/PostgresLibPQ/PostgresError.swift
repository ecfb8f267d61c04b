/// What went wrong with a statement, a connection or the pool.
///
/// ``description`` is safe to log: it holds no parameter, no password, and of the server's text only such kinds of
/// message as cannot quote a row. ``message`` and ``detail`` may quote one.
public struct PostgresError: Error, Sendable {
    /// What kind of failure it is.
    public enum Code: Hashable, Sendable {
        /// The server refused the statement.
        case server(SQLState)
        /// The connection ended while the statement was under way: whether it took effect is not known.
        case connectionLost
        /// No connection could be made; nothing was sent.
        case cannotConnect
        /// Every connection was busy for the whole acquire timeout; nothing was sent.
        case acquireTimeout
        /// Too many others wait for a connection already; nothing was sent.
        case tooManyWaiters
        /// The server gave the statement up and undid it: it took longer than its timeout, or somebody stopped it.
        case statementTimeout
        /// The task was cancelled: whether the statement took effect is not known, if it had been sent.
        case cancelled
        /// The client has been stopped; nothing was sent.
        case shutDown
        /// The connection string or a limit makes no sense.
        case invalidConfiguration
        /// The statement cannot be sent: too many parameters, or a command that needs another call.
        case invalidStatement
        /// A column has another type than the row's reader expects, is missing, or is null.
        case decoding
        /// The transaction was rolled back at COMMIT, as one of its statements had failed.
        case transactionAborted
        /// A connection was used after its lease had ended.
        case leaseEnded
        /// The server answered what the protocol does not allow here.
        case protocolViolation
    }

    /// What kind of failure it is.
    public let code: Code

    /// Which statement of a batch failed, from 0; nil where there is no batch.
    public internal(set) var statementIndex: Int?

    private let reason: String?
    private let server: ServerReport?

    init(_ code: Code, _ reason: String? = nil) {
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
    /// The server's code, where the server answered.
    public var sqlState: SQLState? { server?.sqlState }

    /// The server's message, or the client's own words. It may quote a value: not for logs.
    public var message: String { server?.message ?? reason ?? "" }

    /// More of the server's words. It may quote a row: not for logs.
    public var detail: String? { server?.detail }

    /// What the server thinks may help.
    public var hint: String? { server?.hint }

    /// The name of the constraint that does not hold.
    public var constraint: String? { server?.constraint }

    /// The table that the failure is about.
    public var table: String? { server?.table }

    /// The column that the failure is about.
    public var column: String? { server?.column }

    /// Where in the statement the failure is, in characters from 1.
    public var position: Int? { server?.position }

    /// Whether the store is out of reach or overloaded, so that a service should answer "unavailable, try later".
    public var isUnavailable: Bool {
        switch code {
        case .connectionLost, .cannotConnect, .acquireTimeout, .tooManyWaiters, .shutDown, .statementTimeout: true
        case .server(let state): ["08", "53", "57", "58"].contains(state.class) || state == .readOnlySQLTransaction
        default: false
        }
    }

    /// Whether the statement or transaction certainly had no effect and may well succeed when it is tried again.
    public var isRetryable: Bool {
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
    /// The failure for a log, without anything that could quote a row or a parameter.
    public var description: String {
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
    /// The case's name, with the server's code.
    public var description: String {
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
        case .transactionAborted: "transactionAborted"
        case .leaseEnded: "leaseEnded"
        case .protocolViolation: "protocolViolation"
        }
    }
}
