/// What callers ask of the pool, each as one call that waits: for a connection, and for the answer.
extension Pool {
    /// Runs a batch on a shared connection.
    func run(_ batch: [BoundStatement]) async throws(PostgresError) -> [PostgresResult] {
        let id = nextRequest()
        let holder = Holder()
        return try await Self.answer { completion in
            self.acquire(id, .shared) { result in
                switch result {
                case .success(let connection):
                    holder.connection = connection
                    connection.submit(id, .batch(batch), completion: completion)
                case .failure(let error):
                    completion(.failure(error))
                }
            }
        } onCancel: {
            self.cancel(id)
            holder.connection?.abandon(id)
        }
    }

    /// Waits for a connection of one's own.
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

    /// Runs something on a leased connection.
    ///
    /// - Parameter isCancellable: false for what must be known to have happened or not, such as a COMMIT.
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

    /// Which connection a request was given.
    private final class Holder {
        weak var connection: WireConnection?
    }

    /// Waits for the one call of `completion`. A task that is cancelled calls `onCancel`, which sees to it that the
    /// completion is called soon.
    static func answer<Value: Sendable>(
        _ start: @PostgresLoop (@escaping @PostgresLoop (Result<Value, PostgresError>) -> Void) -> Void,
        onCancel: @escaping @PostgresLoop @Sendable () -> Void
    ) async throws(PostgresError) -> Value {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start { continuation.resume(returning: $0) }
            }
        } onCancel: {
            // On the loop, after the request has been made: this call is on the loop already.
            PostgresLoop.post(onCancel)
        }
        return try result.get()
    }
}
