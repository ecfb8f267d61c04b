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

    @Test func `random operations have the same results as on a plain array`() {
        var queue = WaiterQueue()
        var plain: [UInt64] = []
        for step in UInt64(1)...5_000 {
            switch Int.random(in: 0..<4) {
            case 0, 1:
                queue.append(step, until: start + .seconds(Double(step)))
                plain.append(step)
            case 2:
                #expect(queue.popFirst() == (plain.isEmpty ? nil : plain.removeFirst()))
            default:
                guard let id = plain.randomElement() else { continue }
                #expect(queue.remove(id) == true)
                plain.removeAll { $0 == id }
            }
            #expect(queue.count == plain.count)
            #expect(queue.nextDeadline == plain.first.map { start + .seconds(Double($0)) })
        }
    }
}
