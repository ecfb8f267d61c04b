import Testing

@testable import CardCompanionHTTP

@Suite struct UnusedPatienceTests {
    private let start = ContinuousClock.now

    private func opened() -> UnusedPatience { UnusedPatience(openedAt: start, idleTimeoutSeconds: 60) }

    @Test func `The first request must come ten seconds after the handshake`() {
        #expect(opened().deadline == start + .seconds(10))
    }

    @Test func `While a request is under way there is no deadline`() {
        var patience = opened()
        _ = patience.openStream(at: start)
        _ = patience.openStream(at: start)
        patience.closeStream(at: start + .seconds(1))
        #expect(patience.deadline == nil)
    }

    @Test func `After the last request the connection is idle, and then has some seconds to close`() {
        var patience = opened()
        _ = patience.openStream(at: start)
        patience.closeStream(at: start + .seconds(1))
        #expect(patience.deadline == start + .seconds(66))
    }

    @Test func `A client that was asked to go, and does not, gets no further request served`() {
        var patience = opened()
        let first = patience.openStream(at: start)
        patience.quiesce(at: start)
        // A request that crossed it.
        let second = patience.openStream(at: start + .seconds(1))
        // Asking again gives no new time.
        patience.quiesce(at: start + .seconds(3))
        let third = patience.openStream(at: start + .seconds(5))
        #expect(first && second && !third)
    }

    @Test func `A client that was asked to go has five seconds after its last request`() {
        var patience = opened()
        _ = patience.openStream(at: start)
        patience.quiesce(at: start + .seconds(1))
        #expect(patience.deadline == nil)
        patience.closeStream(at: start + .seconds(2))
        #expect(patience.deadline == start + .seconds(7))
        patience = opened()
        patience.quiesce(at: start)
        #expect(patience.deadline == start + .seconds(5))
    }
}
