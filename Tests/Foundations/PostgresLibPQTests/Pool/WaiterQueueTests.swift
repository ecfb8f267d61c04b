import Testing

@testable import PostgresLibPQ

@Suite struct WaiterQueueTests {
    private let start = ContinuousClock.now

    private func queue(_ ids: [UInt64]) -> WaiterQueue {
        var queue = WaiterQueue()
        for id in ids { queue.append(id, until: start + .seconds(Double(id))) }
        return queue
    }

    @Test func `requests leave in order of arrival`() {
        var queue = queue([1, 2, 3])
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == [1, 2, 3, nil])
        #expect(queue.isEmpty)
    }

    @Test func `requests can be removed from the front, the middle and the end`() {
        var queue = queue(Array(1...6))
        for id in [1, 3, 6] as [UInt64] { #expect(queue.remove(id) == true) }
        #expect(queue.remove(3) == false)
        #expect(queue.count == 3)
        #expect(queue.nextDeadline == start + .seconds(2))
        #expect(queue.removeAll() == [2, 4, 5])
        #expect(queue.nextDeadline == nil)
    }

    @Test func `expired requests are removed in order`() {
        var queue = queue(Array(1...6))
        #expect(queue.removeExpired(at: start) == [])
        #expect(queue.removeExpired(at: start + .seconds(3)) == [1, 2, 3])
        #expect(queue.count == 3)
    }

    @Test func `a request whose deadline is earlier than those before it leaves in time`() {
        var queue = WaiterQueue()
        queue.append(1, until: start + .seconds(5))
        queue.append(2, until: start + .seconds(2))
        queue.append(3, until: start + .seconds(5))
        #expect(queue.nextDeadline == start + .seconds(2))
        #expect(queue.removeExpired(at: start + .seconds(2)) == [2])
        #expect(queue.nextDeadline == start + .seconds(5))
        #expect(queue.popFirst() == 1)
    }

    @Test func `random operations have the same results as on a plain array`() {
        var queue = WaiterQueue()
        var plain: [(id: UInt64, deadline: ContinuousClock.Instant)] = []
        for step in UInt64(1)...5_000 {
            switch Int.random(in: 0..<4) {
            case 0, 1:
                let deadline = start + .seconds(Double(step) + Double.random(in: 0...1_000))
                queue.append(step, until: deadline)
                plain.append((step, deadline))
            case 2:
                #expect(queue.popFirst() == (plain.isEmpty ? nil : plain.removeFirst().id))
            default:
                guard let id = plain.randomElement()?.id else { continue }
                #expect(queue.remove(id) == true)
                plain.removeAll { $0.id == id }
            }
            #expect(queue.count == plain.count)
            #expect(queue.nextDeadline == plain.map(\.deadline).min())
        }
    }
}
