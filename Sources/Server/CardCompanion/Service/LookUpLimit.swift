internal import Synchronization

/// A limit on look-ups in the database that strangers can cause, by naming what does not exist.
final class LookUpLimit: Sendable {
    private let bucket: Mutex<TokenBucket>

    /// - Parameter rate: for each server and kind of name.
    init(_ rate: TokenBucket.Rate) {
        bucket = Mutex(TokenBucket(rate, at: .now))
    }

    /// Looks something up that may not exist. What is found costs nothing.
    ///
    /// - Parameter what: what is looked up, for the log.
    /// - Throws: ``RefusedCaller`` with ``ServiceUnavailable`` if too many look-ups found nothing, and the errors of `find`.
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

extension TokenBucket.Rate {
    /// The usual limit on look-ups that find nothing.
    package static let usualLookUps = lookUps(perSecond: 50)

    /// Ten times as many can come at once.
    package static func lookUps(perSecond count: Int) -> TokenBucket.Rate {
        TokenBucket.Rate(perSecond: count, burst: 10 * count)
    }
}
