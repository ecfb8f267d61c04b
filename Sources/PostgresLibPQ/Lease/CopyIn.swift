/// One COPY FROM STDIN, from the command to the row count.
@PostgresLoop
final class CopyIn {
    private let wire: WireConnection
    private let id: UInt64
    private var outcome: Result<[PostgresResult], PostgresError>?
    /// Resumed at the next event.
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ wire: WireConnection, _ id: UInt64) {
        self.wire = wire
        self.id = id
    }

    /// Sends the command, and returns when the server is ready for data.
    func open(_ sql: String) async throws(PostgresError) {
        await waiting {
            self.wire.submit(self.id, .copyIn(sql, opened: { self.wake() })) { outcome in
                self.outcome = outcome
                self.wake()
            }
        }
        guard let outcome else { return }
        _ = try outcome.get()
        throw PostgresError(.invalidStatement, "the statement is not a COPY FROM STDIN")
    }

    /// Returns when the socket has accepted the bytes.
    func write(_ bytes: [UInt8]) async throws(PostgresError) {
        if outcome == nil { await waiting { self.wire.copy(bytes, taken: { self.wake() }) } }
        if case .failure(let error) = outcome { throw error }
    }

    /// - Returns: how many rows were copied.
    func finish() async throws(PostgresError) -> Int {
        wire.endCopy(id, failure: nil)
        while outcome == nil { await waiting {} }
        return try outcome?.get().last?.affectedRowCount ?? 0
    }

    /// Makes the server discard the data, and returns when it has.
    func abort() async {
        wire.endCopy(id, failure: "the client aborted the COPY")
        while outcome == nil { await withCheckedContinuation { waiter = $0 } }
    }

    private func waiting(_ start: @escaping @PostgresLoop () -> Void) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter = continuation
                start()
            }
        } onCancel: {
            PostgresLoop.post { self.wire.abandon(self.id) }
        }
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }
}

extension PostgresConnection {
    /// Runs a `COPY … FROM STDIN` with data from `source`, in the format that the statement names (text or binary). Reads
    /// the next chunk from the source only after the socket has accepted the chunk before (back-pressure).
    ///
    /// - Returns: how many rows were copied.
    /// - Throws: ``PostgresError``, or the error of the source. In both cases nothing was copied.
    package nonisolated(nonsending) func copyIn<Source: AsyncSequence>(
        _ sql: String, from source: Source
    ) async throws -> Int where Source.Element == [UInt8] {
        let copy = try await beginCopy(sql)
        do {
            for try await chunk in source { try await copy.write(chunk) }
            return try await copy.finish()
        } catch {
            await copy.abort()
            throw error
        }
    }

    @PostgresLoop
    private func beginCopy(_ sql: String) async throws(PostgresError) -> CopyIn {
        try check()
        let copy = CopyIn(wire, pool.nextRequest())
        try await copy.open(sql)
        return copy
    }
}
