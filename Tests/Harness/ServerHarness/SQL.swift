internal import CLibPQ
internal import Foundation
internal import Synchronization

/// Runs SQL over plain blocking calls of libpq, which share no code with the server's client. Each statement waits on a thread
/// of its own, because Swift's pool has as many threads as there are processors.
enum SQL {
    /// Runs statements in one transaction; returns one line per row, with columns separated by `|`.
    ///
    /// - Throws: ``SQLFailed``.
    static func run(_ statements: String, at url: String) async throws -> [String] {
        try await rows(statements, at: "\(url) options='-c search_path=card_companion'")
    }

    /// Runs a statement that must not run in a transaction.
    ///
    /// - Throws: ``SQLFailed``.
    static func runAlone(_ statement: String, at url: String) async throws -> [String] {
        try await rows(statement, at: url)
    }

    private static func rows(_ statements: String, at url: String) async throws -> [String] {
        let canceler = Canceler()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try rowsHere(statements, at: url, canceler) })
                }
            }
        } onCancel: {
            canceler.cancel()
        }
    }

    /// As ``rows(_:at:)``, on this thread.
    private static func rowsHere(_ statements: String, at url: String, _ canceler: Canceler) throws -> [String] {
        let connection = try IdleConnections.shared.take(url) ?? SQLConnection(url)
        canceler.watch(connection)
        defer {
            canceler.watch(nil)
            // A request to cancel can reach the session late, and would end the next statement.
            if !canceler.isCancelled, connection.isReusable { IdleConnections.shared.put(connection) }
        }
        return try connection.rows(statements)
    }
}

/// PostgreSQL has refused a statement.
package struct SQLFailed: Error, CustomStringConvertible {
    /// PostgreSQL's message. Shown in the test failure.
    package let description: String
}

/// One session. Only one thread uses it at a time.
private final class SQLConnection: @unchecked Sendable {
    let url: String
    private let connection: OpaquePointer?

    init(_ url: String) throws(SQLFailed) {
        self.url = url
        connection = PQconnectdb(url)
        guard PQstatus(connection) == CONNECTION_OK else { throw failure }
        // Notices of tests' own statements.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    private var failure: SQLFailed { SQLFailed(description: String(cString: PQerrorMessage(connection))) }

    func rows(_ statements: String) throws(SQLFailed) -> [String] {
        guard PQsendQuery(connection, statements) == 1 else { throw failure }
        var lines = ""
        var failed: SQLFailed?
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: lines += Self.text(of: result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default: failed = failure
            }
        }
        if let failed { throw failed }
        return lines.split(separator: "\n").map(String.init)
    }

    private static func text(of result: OpaquePointer) -> String {
        let columns = 0..<PQnfields(result)
        return (0..<PQntuples(result)).map { row in
            columns.map { String(cString: PQgetvalue(result, row, $0)) }.joined(separator: "|") + "\n"
        }.joined()
    }

    /// Whether the next statement finds it as a new one.
    var isReusable: Bool {
        guard PQtransactionStatus(connection) == PQTRANS_IDLE else { return false }
        return (try? rows("DISCARD ALL")) != nil
    }

    /// Whether it still is connected: a test can have stopped the database, or ended its sessions.
    var answers: Bool { (try? rows("")) != nil }

    /// Asks the database to end the statement, from any thread.
    var cancellation: OpaquePointer? { PQgetCancel(connection) }
}

/// Cancels the statement that is running when the task of a test is cancelled.
private final class Canceler: Sendable {
    private struct State: ~Copyable {
        var isCancelled = false
        nonisolated(unsafe) var running: OpaquePointer?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func watch(_ connection: SQLConnection?) {
        let cancellation = connection?.cancellation
        state.withLock { state in
            PQfreeCancel(state.running)
            state.running = cancellation
            if state.isCancelled { Self.cancel(cancellation) }
        }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            Self.cancel(state.running)
        }
    }

    private static func cancel(_ running: OpaquePointer?) {
        guard let running else { return }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(running, &message, CInt(message.count))
    }
}

/// Sessions that wait for their next use: a few only, because a cluster allows a hundred in all.
private final class IdleConnections: Sendable {
    static let shared = IdleConnections()
    private static let limit = 12

    private let connections = Mutex<[SQLConnection]>([])

    func take(_ url: String) -> SQLConnection? {
        let connection = connections.withLock { connections in
            connections.lastIndex { $0.url == url }.map { connections.remove(at: $0) }
        }
        guard let connection, connection.answers else { return nil }
        return connection
    }

    func put(_ connection: SQLConnection) {
        connections.withLock { connections in
            connections.append(connection)
            if connections.count > Self.limit { connections.removeFirst() }
        }
    }
}
