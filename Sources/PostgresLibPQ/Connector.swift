internal import CLibPQ
internal import Glibc

/// A new connection, on its way from the thread that made it to the loop.
struct OpenConnection: @unchecked Sendable {
    // Sendable: handed over once; the thread that made it does not touch it again.
    let pointer: OpaquePointer
}

/// Connects and cancels on threads of their own, as name resolution, `connect_timeout` for each of several hosts, and
/// PQcancel all block. There are at most as many such threads as connections.
enum Connector {
    /// Calls `completion` with a non-blocking connection, or with why there is none.
    static func connect(
        _ parameters: ConnectionParameters,
        completion: @escaping @Sendable @PostgresLoop (Result<OpenConnection, PostgresError>) -> Void
    ) {
        let started = Thread.start {
            let result = connectBlocking(parameters)
            PostgresLoop.post { completion(result) }
        }
        guard !started else { return }
        PostgresLoop.post { completion(.failure(PostgresError(.cannotConnect, "no thread is left to connect on"))) }
    }

    /// Asks the server to stop what the connection is doing, and calls `completion` when it has been told.
    static func cancel(_ pointer: OpaquePointer, completion: @escaping @Sendable @PostgresLoop () -> Void) {
        guard let request = PQgetCancel(pointer).map(CancelRequest.init) else {
            return PostgresLoop.post(completion)
        }
        let started = Thread.start {
            request.send()
            PostgresLoop.post(completion)
        }
        if !started { PostgresLoop.post(completion) }
    }

    private static func connectBlocking(_ parameters: ConnectionParameters) -> Result<OpenConnection, PostgresError> {
        let pairs = Array(parameters.values)
        let pointer = withCStrings(pairs.map(\.key)) { keywords in
            withCStrings(pairs.map(\.value)) { PQconnectdbParams(keywords, $0, 0) }
        }
        guard let pointer else { return .failure(PostgresError(.cannotConnect, "out of memory")) }
        if PQstatus(pointer) == CONNECTION_OK, PQsetnonblocking(pointer, 1) == 0 {
            return .success(OpenConnection(pointer: pointer))
        }
        let reason = parameters.redact(pointer.lastMessage)
        PQfinish(pointer)
        return .failure(PostgresError(.cannotConnect, reason))
    }

    private final class CancelRequest: @unchecked Sendable {
        // Sendable: PQcancel reads it only, and `deinit` frees it.
        private let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit {
            PQfreeCancel(pointer)
        }

        /// A request that does not arrive needs no report: the statement has its timeout.
        func send() {
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(pointer, &message, CInt(message.count))
        }
    }
}

extension OpaquePointer {
    /// What libpq says of the connection's last failure, in one line.
    var lastMessage: String {
        let message = PQerrorMessage(self).map { String(cString: $0) } ?? ""
        return message.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
}
