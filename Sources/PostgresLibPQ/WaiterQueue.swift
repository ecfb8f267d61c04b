/// Who waits for a connection, first come first served; anyone may leave from the middle.
struct WaiterQueue {
    typealias ID = UInt64
    typealias Instant = ContinuousClock.Instant

    private var deadlines: [ID: Instant] = [:]
    /// In order of arrival, with those who left until they come to the front.
    private var order: [ID] = []
    private var front = 0

    var count: Int { deadlines.count }

    var isEmpty: Bool { deadlines.isEmpty }

    /// The earliest deadline, which is the first one's, as all wait equally long.
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

    /// - Returns: whether it waited here.
    mutating func remove(_ id: ID) -> Bool {
        guard deadlines.removeValue(forKey: id) != nil else { return false }
        while front < order.count, deadlines[order[front]] == nil { front += 1 }
        if front * 2 > order.count {
            order.removeFirst(front)
            front = 0
        }
        return true
    }

    /// Removes those whose time is over, and returns them.
    mutating func removeExpired(at now: Instant) -> [ID] {
        var expired: [ID] = []
        while let deadline = nextDeadline, deadline <= now, let id = popFirst() { expired.append(id) }
        return expired
    }

    /// Removes everybody, and returns them in order.
    mutating func removeAll() -> [ID] {
        var all: [ID] = []
        while let id = popFirst() { all.append(id) }
        return all
    }
}
