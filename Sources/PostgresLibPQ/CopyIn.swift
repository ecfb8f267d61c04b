/// One COPY FROM STDIN, from its command to the count of its rows.
@PostgresLoop
final class CopyIn {
    private let wire: WireConnection
    private let id: UInt64
    private var outcome: Result<[PostgresResult], PostgresError>?
    /// Who waits for the next thing to happen.
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ wire: WireConnection, _ id: UInt64) {
        self.wire = wire
        self.id = id
    }

    /// Sends the command, and returns when the server waits for data.
    func open(_ sql: String) async throws(PostgresError) {
        await waiting {
            self.wire.submit(self.id, .copyIn(sql, opened: { self.wake() })) { outcome in
                self.outcome = outcome
                self.wake()
            }
        }
        guard let outcome else { return }
        _ = try outcome.get()
        throw PostgresError(.invalidStatement, "the statement is no COPY FROM STDIN")
    }

    /// Returns when the socket has taken the bytes.
    func write(_ bytes: [UInt8]) async throws(PostgresError) {
        if outcome == nil { await waiting { self.wire.copy(bytes, taken: { self.wake() }) } }
        if case .failure(let error) = outcome { throw error }
    }

    /// - Returns: how many rows there are now.
    func finish() async throws(PostgresError) -> Int {
        wire.endCopy(id, failure: nil)
        while outcome == nil { await waiting {} }
        return try outcome?.get().last?.affectedRowCount ?? 0
    }

    /// Has the server forget what came, and returns when it has.
    func abort() async {
        wire.endCopy(id, failure: "the client gives up")
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
    /// Runs a `COPY … FROM STDIN`, in text or binary format as the statement says, with data from `source`. The source
    /// is asked for more only when the socket has taken what came before.
    ///
    /// - Returns: how many rows were copied.
    /// - Throws: ``PostgresError``, or what the source throws; then nothing was copied.
    public nonisolated(nonsending) func copyIn<Source: AsyncSequence>(
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
