/// The pool's operations for callers. Each call waits until it has its result.
extension Pool {
    /// Runs a batch on a shared connection.
    func run(_ batch: [BoundStatement]) async throws(PostgresError) -> [PostgresResult] {
        let id = nextRequest()
        let holder = Holder()
        let (limit, start) = (AnswerLimit.current, ContinuousClock.now)
        var deadline: ContinuousClock.Instant?
        if let limit {
            guard let next = limit.next else { throw PostgresError(.acquireTimeout) }
            deadline = start + next
        }
        defer { limit?.spend(.now - start) }
        return try await Self.answer { completion in
            self.acquire(id, .shared, until: deadline) { result in
                switch result {
                case .success(let connection):
                    holder.connection = connection
                    connection.submit(
                        id, .batch(batch), until: deadline, limit: limit?.statement, completion: completion)
                case .failure(let error):
                    completion(.failure(error))
                }
            }
        } onCancel: {
            // With a limit there is a deadline, and the caller must know the outcome.
            guard limit == nil else { return }
            self.cancel(id)
            holder.connection?.abandon(id)
        }
    }

    /// Waits for a connection that only this caller uses.
    func lease() async throws(PostgresError) -> WireConnection {
        let id = nextRequest()
        return try await Self.answer { completion in
            self.acquire(id, .lease) { result in
                if case .success(let connection) = result { connection.isLeased = true }
                completion(result)
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    /// Runs a request on a leased connection.
    ///
    /// - Parameter isCancellable: false if the caller must know the outcome, for example of a COMMIT.
    func run(
        _ request: WireConnection.Request, on connection: WireConnection, isCancellable: Bool = true
    ) async throws(PostgresError) -> [PostgresResult] {
        let id = nextRequest()
        return try await Self.answer { completion in
            connection.submit(id, request, completion: completion)
        } onCancel: {
            if isCancellable { connection.abandon(id) }
        }
    }

    /// The connection that a request was given.
    private final class Holder {
        weak var connection: WireConnection?
    }

    /// Waits until `start` calls its completion, exactly once. If the task is cancelled, `onCancel` is called; it must
    /// cause the completion to be called soon, or there must be a deadline.
    static func answer<Value: Sendable>(
        _ start: @PostgresLoop (@escaping @PostgresLoop (Result<Value, PostgresError>) -> Void) -> Void,
        onCancel: @escaping @PostgresLoop @Sendable () -> Void
    ) async throws(PostgresError) -> Value {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start { continuation.resume(returning: $0) }
            }
        } onCancel: {
            // This method runs on the loop, so the posted closure runs after `start`.
            PostgresLoop.post(onCancel)
        }
        return try result.get()
    }
}
