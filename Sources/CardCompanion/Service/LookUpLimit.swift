internal import Synchronization

/// A limit on look-ups in the database that strangers can cause, by naming what does not exist.
final class LookUpLimit: Sendable {
    /// For each server and kind of name.
    static let rate = TokenBucket.Rate(perSecond: 50, burst: 500)

    private let bucket: Mutex<TokenBucket>

    init(_ rate: TokenBucket.Rate = rate) {
        bucket = Mutex(TokenBucket(rate, at: .now))
    }

    /// Looks something up that may not exist. What is found costs nothing.
    ///
    /// - Parameter what: what is looked up, for the log.
    /// - Throws: ``RefusedCaller`` with ``ServiceUnavailable`` if there were too many vain look-ups, and the errors of `find`.
    func find<Found>(_ what: String, _ find: () async throws -> Found?) async throws -> Found? {
        guard take() else {
            throw RefusedCaller(reason: ServiceUnavailable("too many unknown \(what) are being looked up"))
        }
        guard let found = try await find() else { return nil }
        putBack()
        return found
    }

    func take() -> Bool {
        bucket.withLock { $0.take(at: .now) }
    }

    func putBack() {
        bucket.withLock { $0.putBack() }
    }
}
