import Testing

@testable import CardCompanionHTTP

@Suite struct RequestPatienceTests {
    private static let exchangeLimit = Duration.seconds(120)
    private let start = ContinuousClock.now

    /// A connection that has just been opened, and waits for its first request.
    private func opened() -> RequestPatience {
        var patience = RequestPatience(openedAt: start, exchangeLimit: Self.exchangeLimit)
        patience.wait(at: start)
        return patience
    }

    /// A connection that has served its first request.
    private func idle() -> RequestPatience {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.receiveEnd()
        patience.answer(at: start)
        patience.wait(at: start)
        return patience
    }

    @Test func `The first request must be there ten seconds after the connection was opened`() {
        var patience = opened()
        #expect(patience.deadline == start + .seconds(10))
        for second in 1..<10 {
            patience.receive(at: start + .seconds(second))
            patience.wait(at: start + .seconds(second))
            #expect(patience.deadline == start + .seconds(10))
        }
        patience.receiveHead(at: start + .seconds(9))
        #expect(patience.deadline == start + .seconds(10), "the body counts too")
        patience.receiveBody(byteCount: 1 << 20)
        #expect(patience.deadline == start + .seconds(10))
        patience.receiveEnd()
        #expect(patience.deadline == start + Self.exchangeLimit)
    }

    @Test(
        "An exchange has two minutes, and more if a request can wait longer for the database: it must get its answer",
        arguments: [(2, 120), (40, 120), (41, 123), (600, 1_800)])
    func longWaits(databaseSeconds: Int, seconds: Int) {
        #expect(RequestPatience.exchangeLimit(databaseLimit: .seconds(databaseSeconds)) == .seconds(seconds))
    }

    @Test func `Between two requests there is no deadline, and the next one has ten seconds from its first byte`() {
        var patience = idle()
        #expect(patience.deadline == nil)
        patience.receive(at: start + .seconds(50))
        patience.wait(at: start + .seconds(50))
        #expect(patience.deadline == start + .seconds(60))
        patience.receive(at: start + .seconds(59))
        patience.wait(at: start + .seconds(59))
        #expect(patience.deadline == start + .seconds(60))
    }

    @Test func `A client has thirty seconds for the rest of an answer that is finished`() {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.receiveEnd()
        patience.finishAnswer(at: start + .seconds(60))
        #expect(patience.deadline == start + .seconds(90))
        patience.answer(at: start + .seconds(61))
        #expect(patience.deadline == nil)
        patience.finishAnswer(at: start + .seconds(62))
        #expect(patience.deadline == nil)
    }

    @Test func `The answer to an import has thirty seconds too`() {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.admitImport(at: start)
        patience.receiveEnd()
        #expect(patience.deadline == start + RequestPatience.importLimit)
        patience.finishAnswer(at: start + .seconds(600))
        #expect(patience.deadline == start + .seconds(630))
    }

    @Test func `Time in which the server does not read costs the client nothing`() {
        var patience = opened()
        patience.receive(at: start + .seconds(4))
        #expect(patience.deadline == start + Self.exchangeLimit)
        patience.wait(at: start + .seconds(64))
        #expect(patience.deadline == start + .seconds(70))
    }

    @Test func `An import gets a second for each kilobyte, but never more than ten in advance`() {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.admitImport(at: start)
        patience.wait(at: start)
        #expect(patience.deadline == start + .seconds(10))
        patience.receive(at: start + .seconds(8))
        patience.receiveBody(byteCount: 3 * 1024)
        patience.wait(at: start + .seconds(8))
        #expect(patience.deadline == start + .seconds(8 + 5))
        patience.receive(at: start + .seconds(9))
        patience.receiveBody(byteCount: 1 << 30)
        patience.wait(at: start + .seconds(9))
        #expect(patience.deadline == start + .seconds(19))
    }

    @Test func `An import has an end, however fast it is`() {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.admitImport(at: start)
        let late = start + RequestPatience.importLimit - .seconds(1)
        patience.receiveBody(byteCount: 1 << 30)
        patience.wait(at: late)
        #expect(patience.deadline == start + RequestPatience.importLimit)
    }

    @Test func `A client that does not take its answer is not waited for without end`() {
        var patience = opened()
        patience.receive(at: start)
        patience.receiveHead(at: start)
        patience.receiveEnd()
        patience.wait(at: start)
        #expect(patience.deadline == start + Self.exchangeLimit)
        patience.answer(at: start + .seconds(30))
        #expect(patience.deadline == nil)
    }

    @Test func `Of pipelined requests, each has its time`() {
        var patience = opened()
        patience.receive(at: start)
        for _ in 0..<3 {
            patience.receiveHead(at: start)
            patience.receiveEnd()
        }
        patience.receiveHead(at: start)
        patience.wait(at: start)
        #expect(patience.deadline == start + .seconds(10))
        patience.receive(at: start + .seconds(1))
        patience.receiveEnd()
        for second in 2..<5 {
            patience.answer(at: start + .seconds(second))
            #expect(patience.deadline == start + .seconds(second) + Self.exchangeLimit)
        }
        patience.answer(at: start + .seconds(5))
        #expect(patience.deadline == nil)
    }
}
