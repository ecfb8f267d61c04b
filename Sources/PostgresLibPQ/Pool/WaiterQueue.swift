/// Requests that wait for a connection: first come, first served. A request can leave from any position.
struct WaiterQueue {
    typealias ID = UInt64
    typealias Instant = ContinuousClock.Instant

    private var deadlines: [ID: Instant] = [:]
    /// In order of arrival. Removed requests stay here until they reach the front.
    private var order: [ID] = []
    private var front = 0

    var count: Int { deadlines.count }

    var isEmpty: Bool { deadlines.isEmpty }

    /// The earliest deadline. It belongs to the first request, because all wait equally long.
    var nextDeadline: Instant? {
        front < order.count ? deadlines[order[front]] : nil
    }

    mutating func append(_ id: ID, until deadline: Instant) {
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
        guard deadlines.removeValue(forKey: id) != nil else { return false }
        while front < order.count, deadlines[order[front]] == nil { front += 1 }
        if front * 2 > order.count {
            order.removeFirst(front)
            front = 0
        }
        return true
    }

    /// Removes the requests whose deadline has passed, and returns them in order.
    mutating func removeExpired(at now: Instant) -> [ID] {
        var expired: [ID] = []
        while let deadline = nextDeadline, deadline <= now, let id = popFirst() { expired.append(id) }
        return expired
    }

    /// Removes all requests, and returns them in order.
    mutating func removeAll() -> [ID] {
        var all: [ID] = []
        while let id = popFirst() { all.append(id) }
        return all
    }
}
