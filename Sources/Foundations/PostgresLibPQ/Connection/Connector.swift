internal import CLibPQ
internal import Glibc

/// A new connection, while it is handed over from the connecting thread to the loop.
struct OpenConnection: @unchecked Sendable {
    // Sendable: handed over once. The connecting thread does not use it afterwards.
    let pointer: OpaquePointer
}

/// Connects on separate threads, because name resolution and connecting (up to `connect_timeout` per host) block. There are at
/// most as many of these threads as connections.
enum Connector {
    /// Calls `completion` with a non-blocking connection or with the error.
    static func connect(
        _ parameters: ConnectionParameters,
        completion: @escaping @Sendable @PostgresLoop (Result<OpenConnection, PostgresError>) -> Void
    ) {
        let started = Thread.run({ connectBlocking(parameters) }, completion: completion)
        guard !started else { return }
        PostgresLoop.post { completion(.failure(PostgresError(.cannotConnect, "cannot start a thread to connect"))) }
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
}

extension OpaquePointer {
    /// libpq's last error message for this connection, in one line.
    var lastMessage: String {
        let message = PQerrorMessage(self).map { String(cString: $0) } ?? ""
        let lines = message.split(whereSeparator: \.isNewline)
        return lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
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
