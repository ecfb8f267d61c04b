/// Requests that wait for a connection: first come, first served. A request can leave from any position.
struct WaiterQueue {
    typealias ID = UInt64
    typealias Instant = ContinuousClock.Instant

    private var deadlines: [ID: Instant] = [:]
    /// The earliest deadline; nil if nobody waits.
    private var earliest: Instant?
    /// In order of arrival. Removed requests stay here until they reach the front.
    private var order: [ID] = []
    private var front = 0

    var count: Int { deadlines.count }

    var isEmpty: Bool { deadlines.isEmpty }

    /// The earliest deadline.
    var nextDeadline: Instant? { earliest }

    mutating func append(_ id: ID, until deadline: Instant) {
        earliest = nextDeadline.map { min($0, deadline) } ?? deadline
        order.append(id)
        deadlines[id] = deadline
    }

    mutating func popFirst() -> ID? {
        guard front < order.count else { return nil }
        let id = order[front]
        _ = remove(id)
        return id
    }

    /// - Returns: whether the request was in the queue.
    mutating func remove(_ id: ID) -> Bool {
        guard let deadline = deadlines.removeValue(forKey: id) else { return false }
        if deadline == earliest { earliest = deadlines.values.min() }
        while front < order.count, deadlines[order[front]] == nil { front += 1 }
        if front * 2 > order.count {
            order.removeFirst(front)
            front = 0
        }
        return true
    }

    /// Removes the requests whose deadline has passed, and returns them in order.
    mutating func removeExpired(at now: Instant) -> [ID] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let expired = order[front...].filter { deadlines[$0].map { $0 <= now } ?? false }
        for id in expired { _ = remove(id) }
        return expired
    }

    /// Removes all requests, and returns them in order.
    mutating func removeAll() -> [ID] {
        var all: [ID] = []
        while let id = popFirst() { all.append(id) }
        return all
    }
}
