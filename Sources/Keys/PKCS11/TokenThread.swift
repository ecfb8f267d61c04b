internal import Dispatch
internal import Synchronization

/// The thread of one token. A token can take long, or hang; then the caller gets an error in time, and the thread waits for
/// the token.
final class TokenThread: Sendable {
    /// How long a caller waits.
    static let callSeconds = 5
    /// How many calls can be under way or wait. A token that hangs would gather more and more of them.
    static let callLimit = 16

    private let queue = DispatchQueue(label: "card-companion token")
    private let calls = Mutex(0)

    /// Runs a job on the thread.
    ///
    /// - Parameter isLimited: false for the last job.
    /// - Throws: `busy`, `timeout`, the errors of the job. After a timeout the job can still run; its result is dropped.
    func run<Result: Sendable>(
        isLimited: Bool = true, _ job: @escaping @Sendable () throws(PKCS11Error) -> Result
    ) async throws(PKCS11Error) -> Result {
        let hasRoom = calls.withLock { calls in
            guard calls < Self.callLimit || !isLimited else { return false }
            calls += 1
            return true
        }
        guard hasRoom else { throw .busy }
        let result = await withCheckedContinuation { continuation in
            let answer = Answer<Result>(continuation)
            queue.async {
                let outcome = Swift.Result { () throws(PKCS11Error) in try job() }
                // Before the caller knows, who can call again at once.
                self.calls.withLock { $0 -= 1 }
                answer.give(outcome)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.callSeconds)) {
                answer.give(.failure(.timeout(seconds: Self.callSeconds)))
            }
        }
        return try result.get()
    }

    /// The first answer counts: the job's, or the timeout.
    private final class Answer<Value: Sendable>: Sendable {
        typealias Outcome = Swift.Result<Value, PKCS11Error>
        private let continuation: Mutex<CheckedContinuation<Outcome, Never>?>

        init(_ continuation: CheckedContinuation<Outcome, Never>) {
            self.continuation = Mutex(continuation)
        }

        func give(_ outcome: Outcome) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: outcome)
        }
    }
}
