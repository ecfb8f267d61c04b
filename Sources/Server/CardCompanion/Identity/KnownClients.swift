internal import Synchronization

/// The document clients that the database has found before. Each session looks its client up all the same. But a known one costs
/// nothing of the limit on look-ups, so strangers who name unknown clients cannot keep it out.
final class KnownClients: Sendable {
    /// How many clients are remembered. When there are more, all are forgotten.
    static let capacity = 10_000

    private let unknown: LookUpLimit
    private let ids = Mutex<Set<String>>([])

    /// - Parameter lookUps: the limit on look-ups of unknown clients.
    init(lookUps: TokenBucket.Rate) {
        unknown = LookUpLimit(lookUps)
    }

    /// How many clients are remembered.
    var count: Int { ids.withLock(\.count) }

    /// Looks a client up.
    ///
    /// - Throws: as ``LookUpLimit/find(_:_:)``, if the client is not known.
    func find<Found>(_ id: String, _ find: () async throws -> Found?) async throws -> Found? {
        let isKnown = ids.withLock { $0.contains(id) }
        let found = isKnown ? try await find() : try await unknown.find("document clients", find)
        ids.withLock { ids in
            ids.remove(id)
            guard found != nil else { return }
            if ids.count >= Self.capacity { ids.removeAll(keepingCapacity: true) }
            ids.insert(id)
        }
        return found
    }
}
