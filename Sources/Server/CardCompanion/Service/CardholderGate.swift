internal import CardCompanionModel
internal import Synchronization

/// A limit on how many requests of one cardholder a server serves at once, so that no one can keep it busy with one row of
/// the database. Only requests with authenticated callers count: a stranger must not use up a cardholder's places.
package final class CardholderGate: Sendable {
    /// What is limited: the requests of a cardholder, or the confirmations of one delivery.
    ///
    /// Only the store authenticates a confirmation. But a stranger does not know the name of a session, and so cannot use up
    /// its places.
    enum Place: Hashable {
        case cardholder(bankId: Identifier, uniqueId: Identifier)
        case session(Identifier)
    }

    /// How many requests are served at once, for each place.
    package static let usualLimit = 4
    /// After how many seconds a refused client can try again.
    static let retryAfterSeconds = 1

    private let limit: Int
    private let underWay = Mutex<[Place: Int]>([:])

    package init(limit: Int = usualLimit) {
        self.limit = limit
    }

    /// Serves a request if its place has room.
    ///
    /// - Parameter place: nil has no limit.
    /// - Throws: ``TooManyRequests`` if too many are under way, and the errors of `serve`.
    func pass<Result>(_ place: Place?, _ serve: () async throws -> Result) async throws -> Result {
        guard let place else { return try await serve() }
        guard enter(place) else { throw TooManyRequests(retryAfterSeconds: Self.retryAfterSeconds) }
        defer { leave(place) }
        return try await serve()
    }

    private func enter(_ place: Place) -> Bool {
        underWay.withLock { underWay in
            let count = underWay[place] ?? 0
            guard count < limit else { return false }
            underWay[place] = count + 1
            return true
        }
    }

    private func leave(_ place: Place) {
        underWay.withLock { underWay in
            let count = (underWay[place] ?? 1) - 1
            underWay[place] = count == 0 ? nil : count
        }
    }
}
