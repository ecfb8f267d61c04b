import Testing

@testable import PostgresLibPQ

@Suite struct PoolStateMachineTests {
    typealias Action = PoolStateMachine.Action

    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func machine(_ change: (inout PostgresConfiguration) -> Void = { _ in }) -> PoolStateMachine {
        var limits = PostgresConfiguration(url: "")
        limits.maximumConnections = 3
        limits.maximumConcurrentConnects = 2
        limits.pipelineDepth = 2
        limits.maximumWaiters = 4
        limits.acquireTimeoutSeconds = 5
        limits.idleTimeoutSeconds = 60
        limits.shutdownTimeoutSeconds = 10
        limits.backOff = PostgresBackOffLimits(initialMilliseconds: 1_000, maximumMilliseconds: 8_000)
        change(&limits)
        return PoolStateMachine(limits)
    }

    /// A pool with one idle connection, number 1.
    private func running(_ change: (inout PostgresConfiguration) -> Void = { _ in }) -> PoolStateMachine {
        var pool = machine(change)
        #expect(pool.start(at: at(0)) == [.connect(1)])
        #expect(pool.connected(1, at: at(0)) == [])
        return pool
    }

    // MARK: Growing and shrinking

    @Test func `start opens the minimum number of connections, and works only once`() {
        var pool = machine { $0.minimumConnections = 2 }
        #expect(pool.start(at: at(0)) == [.connect(1), .connect(2)])
        #expect(pool.start(at: at(0)) == nil)
    }

    @Test func `if all connections are busy, one more is opened, up to the maximum`() {
        var pool = running()
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1), .connect(2)])
        // The second request does not wait for the new connection.
        #expect(pool.acquire(11, .shared, at: at(0)) == [.grant(11, 1)])
        #expect(pool.connected(2, at: at(0)) == [])
        #expect(pool.acquire(12, .shared, at: at(0)) == [.grant(12, 2), .connect(3)])
        #expect(pool.connected(3, at: at(0)) == [])
        #expect(pool.acquire(13, .shared, at: at(0)) == [.grant(13, 3)])
    }

    @Test func `a connection gets no more requests than the pipeline depth`() {
        var pool = running { $0.maximumConnections = 1 }
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1)])
        #expect(pool.acquire(11, .shared, at: at(0)) == [.grant(11, 1)])
        #expect(pool.acquire(12, .shared, at: at(0)) == [])
        #expect(pool.acquire(13, .shared, at: at(0)) == [])
        #expect(pool.finished(1, at: at(0)) == [.grant(12, 1)])
        #expect(pool.finished(1, at: at(0)) == [.grant(13, 1)])
    }

    @Test func `of equally busy connections, the one whose statement has run for the shortest time gets the next`() {
        var pool = running()
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1), .connect(2)])
        _ = pool.connected(2, at: at(0.01))
        #expect(pool.acquire(11, .shared, at: at(0.02)) == [.grant(11, 2), .connect(3)])
        _ = pool.finished(2, at: at(0.03))
        _ = pool.finished(1, at: at(0.04))
        #expect(pool.acquire(12, .shared, at: at(0.05)) == [.grant(12, 1)])
        #expect(pool.acquire(13, .shared, at: at(0.06)) == [.grant(13, 2)])
        // Number 1 has answered last, but its statement runs for longer.
        #expect(pool.acquire(14, .shared, at: at(0.07)) == [.grant(14, 2)])
        #expect(pool.acquire(15, .shared, at: at(0.08)) == [.grant(15, 1)])
    }

    @Test func `a connection that may wait for a lock gets no more requests while another one moves`() {
        var pool = running { $0.pipelineDepth = 3 }
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1), .connect(2)])
        _ = pool.connected(2, at: at(0))
        #expect(pool.acquire(11, .shared, at: at(1)) == [.grant(11, 2), .connect(3)])
        #expect(pool.acquire(12, .shared, at: at(1)) == [.grant(12, 2)])
        #expect(pool.acquire(13, .shared, at: at(1.05)) == [.grant(13, 2)])
        // Number 2 has as many as it can have.
        #expect(pool.acquire(14, .shared, at: at(1.05)) == [.grant(14, 1)])
        #expect(pool.finished(2, at: at(1.1)) == [])
        // Now both are slow.
        #expect(pool.acquire(15, .shared, at: at(2)) == [.grant(15, 2)])
        #expect(pool.acquire(16, .shared, at: at(2)) == [.grant(16, 1)])
    }

    @Test func `idle connections beyond the minimum are closed after the idle timeout`() {
        var pool = running()
        _ = pool.acquire(10, .shared, at: at(0))
        _ = pool.connected(2, at: at(1))
        _ = pool.finished(1, at: at(2))
        #expect(pool.nextDeadline == at(61))
        #expect(pool.tick(at: at(60)) == [])
        #expect(pool.tick(at: at(61)) == [.close(2)])
        #expect(pool.nextDeadline == nil)
        #expect(pool.tick(at: at(1_000)) == [])
    }

    // MARK: Waiting

    @Test func `before the start, requests wait`() {
        var pool = machine()
        #expect(pool.acquire(10, .shared, at: at(0)) == [])
        #expect(pool.nextDeadline == at(5))
        #expect(pool.start(at: at(1)) == [.connect(1)])
        #expect(pool.connected(1, at: at(2)) == [.grant(10, 1), .connect(2)])
    }

    @Test func `requests that exceed the acquire timeout fail in order`() {
        var pool = running { $0.maximumConnections = 1 }
        #expect(pool.acquire(10, .lease, at: at(0)) == [.grant(10, 1)])
        #expect(pool.acquire(11, .shared, at: at(1)) == [])
        #expect(pool.acquire(12, .lease, at: at(2)) == [])
        #expect(pool.nextDeadline == at(6))
        #expect(pool.tick(at: at(6)) == [.fail(11, .acquireTimeout)])
        #expect(pool.nextDeadline == at(7))
        #expect(pool.tick(at: at(7)) == [.fail(12, .acquireTimeout)])
    }

    @Test func `if no connection can be opened, waiting requests fail with cannotConnect`() {
        var pool = machine()
        var random = SystemRandomNumberGenerator()
        _ = pool.start(at: at(0))
        #expect(pool.acquire(10, .shared, at: at(0)) == [])
        _ = pool.connectFailed(1, at: at(0), using: &random)
        let actions = pool.tick(at: at(5))
        #expect(actions.contains(.fail(10, .cannotConnect)))
    }

    @Test func `a waiter beyond maximumWaiters fails at once, for a lease or a shared connection`() {
        var pool = running { $0.maximumConnections = 1 }
        #expect(pool.acquire(10, .lease, at: at(0)) == [.grant(10, 1)])
        for id in UInt64(11)...14 {
            #expect(pool.acquire(id, id % 2 == 0 ? .lease : .shared, at: at(0)) == [])
        }
        #expect(pool.acquire(15, .shared, at: at(0)) == [.fail(15, .tooManyWaiters)])
        #expect(pool.acquire(16, .lease, at: at(0)) == [.fail(16, .tooManyWaiters)])
        #expect(pool.cancel(12, at: at(0)) == [.fail(12, .cancelled)])
        #expect(pool.acquire(17, .shared, at: at(0)) == [])
    }

    @Test func `a cancelled request gets no connection; cancelling a served request has no effect`() {
        var pool = running { $0.maximumConnections = 1 }
        #expect(pool.acquire(10, .lease, at: at(0)) == [.grant(10, 1)])
        #expect(pool.cancel(10, at: at(0)) == [])
        #expect(pool.acquire(11, .shared, at: at(0)) == [])
        #expect(pool.cancel(11, at: at(0)) == [.fail(11, .cancelled)])
        #expect(pool.leaseReturned(1, at: at(0)) == [])
    }

    // MARK: Leases

    @Test func `a lease takes an idle connection, or opens one if none is idle`() {
        var pool = running()
        #expect(pool.acquire(10, .lease, at: at(0)) == [.grant(10, 1), .connect(2)])
        #expect(pool.acquire(11, .lease, at: at(0)) == [.connect(3)])
        #expect(pool.connected(2, at: at(0)) == [.grant(11, 2)])
        // At most two of three connections are leased.
        #expect(pool.connected(3, at: at(0)) == [])
        #expect(pool.acquire(12, .lease, at: at(0)) == [])
        #expect(pool.acquire(13, .shared, at: at(0)) == [.grant(13, 3)])
        #expect(pool.leaseReturned(1, at: at(0)) == [.grant(12, 1)])
    }

    @Test func `a connection that a lease waits for takes no more requests until it is idle`() {
        var pool = running { $0.maximumConnections = 1 }
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1)])
        #expect(pool.acquire(11, .lease, at: at(0)) == [])
        #expect(pool.acquire(12, .shared, at: at(0)) == [])
        #expect(pool.finished(1, at: at(0)) == [.grant(11, 1)])
        #expect(pool.leaseReturned(1, at: at(0)) == [.grant(12, 1)])
    }

    @Test func `if the waiting lease is cancelled, the connection takes shared requests again`() {
        var pool = running { $0.maximumConnections = 1 }
        _ = pool.acquire(10, .shared, at: at(0))
        _ = pool.acquire(11, .lease, at: at(0))
        _ = pool.acquire(12, .shared, at: at(0))
        #expect(pool.cancel(11, at: at(0)) == [.fail(11, .cancelled), .grant(12, 1)])
    }

    // MARK: Failures

    @Test func `after a failure, the pool opens one connection at a time with increasing delays`() throws {
        var pool = machine { $0.minimumConnections = 2 }
        var random = SystemRandomNumberGenerator()
        #expect(pool.start(at: at(0)) == [.connect(1), .connect(2)])
        #expect(pool.connectFailed(1, at: at(0), using: &random) == [])
        #expect(pool.connectFailed(2, at: at(0), using: &random) == [])
        var now = at(0)
        for (connection, step) in zip(3..., [2.0, 4, 8, 8, 8]) {
            let retry = try #require(pool.nextDeadline)
            #expect(retry >= now + .seconds(step / 2))
            #expect(retry <= now + .seconds(step))
            #expect(pool.tick(at: retry) == [.connect(connection)])
            now = retry
            #expect(pool.connectFailed(connection, at: now, using: &random) == [])
        }
    }

    @Test func `new requests do not bring the next attempt forward`() throws {
        var pool = machine()
        var random = SystemRandomNumberGenerator()
        _ = pool.start(at: at(0))
        _ = pool.connectFailed(1, at: at(0), using: &random)
        #expect(pool.acquire(10, .shared, at: at(0.1)) == [])
        #expect(pool.acquire(11, .lease, at: at(0.1)) == [])
        let retry = try #require(pool.nextDeadline)
        #expect(pool.tick(at: retry) == [.connect(2)])
        let actions = pool.connected(2, at: retry)
        #expect(actions.contains(.grant(11, 2)))
    }

    @Test func `a stable connection is replaced at once when lost, an unstable one after a delay`() throws {
        var pool = running()
        var random = SystemRandomNumberGenerator()
        #expect(pool.lost(1, at: at(10), using: &random) == [.connect(2)])
        #expect(pool.connected(2, at: at(10)) == [])
        #expect(pool.lost(2, at: at(10.5), using: &random) == [])
        let retry = try #require(pool.nextDeadline)
        #expect(retry >= at(11))
        #expect(pool.tick(at: retry) == [.connect(3)])
        #expect(pool.connected(3, at: retry) == [])
        // Because it failed again so soon, the next delay is longer.
        #expect(pool.lost(3, at: retry, using: &random) == [])
        let second = try #require(pool.nextDeadline)
        #expect(second >= retry + .seconds(1))
    }

    @Test func `the requests of a lost connection do not count for its replacement`() {
        var pool = running { $0.maximumConnections = 1 }
        var random = SystemRandomNumberGenerator()
        _ = pool.acquire(10, .shared, at: at(0))
        _ = pool.acquire(11, .shared, at: at(0))
        #expect(pool.lost(1, at: at(10), using: &random) == [.connect(2)])
        #expect(pool.finished(1, at: at(10)) == [])
        #expect(pool.connected(2, at: at(10)) == [])
        #expect(pool.acquire(12, .shared, at: at(10)) == [.grant(12, 2)])
        #expect(pool.acquire(13, .shared, at: at(10)) == [.grant(13, 2)])
        #expect(pool.acquire(14, .shared, at: at(10)) == [])
    }

    @Test func `a connection that was given up counts for a time, even if no request waits`() {
        var pool = running {
            $0.maximumConnections = 2
            $0.statementTimeoutMilliseconds = 30_000
        }
        var random = SystemRandomNumberGenerator()
        #expect(pool.lost(1, wasSilent: true, at: at(10), using: &random) == [.connect(2)])
        #expect(pool.connected(2, at: at(10)) == [])
        #expect(pool.acquire(10, .shared, at: at(39)) == [.grant(10, 2)])
        #expect(pool.acquire(11, .shared, at: at(40)) == [.grant(11, 2), .connect(3)])
    }

    @Test func `a retired connection gets no more requests, and is closed after its last one`() {
        var pool = running { $0.maximumConnections = 1 }
        var random = SystemRandomNumberGenerator()
        _ = pool.acquire(10, .shared, at: at(0))
        _ = pool.acquire(11, .shared, at: at(0))
        #expect(pool.retire(1, at: at(10), using: &random) == [])
        #expect(pool.finished(1, at: at(10)) == [])
        #expect(pool.acquire(12, .shared, at: at(10)) == [])
        #expect(pool.finished(1, at: at(10)) == [.close(1), .connect(2)])
        #expect(pool.connected(2, at: at(10)) == [.grant(12, 2)])
        // The next one is retired too: it is replaced, but only after a delay.
        #expect(pool.retire(2, at: at(10), using: &random) == [])
        #expect(pool.finished(2, at: at(10)) == [.close(2)])
        #expect(pool.nextDeadline ?? start >= at(10.5))
    }

    @Test func `a retired connection can be lost, and is closed at shutdown`() {
        var pool = running { $0.maximumConnections = 2 }
        var random = SystemRandomNumberGenerator()
        _ = pool.acquire(10, .shared, at: at(0))
        _ = pool.connected(2, at: at(0))
        _ = pool.acquire(11, .shared, at: at(0))
        _ = pool.retire(1, at: at(10), using: &random)
        _ = pool.retire(2, at: at(10), using: &random)
        #expect(pool.lost(1, at: at(10), using: &random) == [.connect(3)])
        #expect(pool.shutDown(at: at(10)) == [])
        #expect(pool.finished(2, at: at(10)) == [.close(2)])
        #expect(pool.connected(3, at: at(11)) == [.close(3), .stopped])
    }

    // MARK: Shutdown

    @Test func `shutdown fails waiters, closes idle connections and lets requests in flight finish`() {
        var pool = running { $0.maximumConnections = 2 }
        #expect(pool.acquire(10, .shared, at: at(0)) == [.grant(10, 1), .connect(2)])
        _ = pool.connected(2, at: at(0))
        _ = pool.acquire(11, .lease, at: at(0))
        #expect(pool.acquire(12, .lease, at: at(0)) == [])
        #expect(pool.shutDown(at: at(1)) == [.fail(12, .shutDown)])
        #expect(pool.acquire(13, .shared, at: at(1)) == [.fail(13, .shutDown)])
        #expect(pool.nextDeadline == at(11))
        #expect(pool.finished(1, at: at(2)) == [.close(1)])
        #expect(pool.leaseReturned(2, at: at(3)) == [.close(2), .stopped])
        #expect(pool.shutDown(at: at(4)) == [])
    }

    @Test func `requests that outlast the shutdown timeout are cut off`() {
        var pool = running()
        _ = pool.acquire(10, .shared, at: at(0))
        #expect(pool.shutDown(at: at(1)) == [])
        #expect(pool.tick(at: at(10.9)) == [])
        #expect(pool.tick(at: at(11)) == [.close(1), .stopped])
    }

    @Test func `shutdown waits for attempts to connect, and closes what they open`() {
        var pool = machine { $0.minimumConnections = 2 }
        var random = SystemRandomNumberGenerator()
        #expect(pool.start(at: at(0)) == [.connect(1), .connect(2)])
        #expect(pool.shutDown(at: at(1)) == [])
        #expect(pool.connected(1, at: at(2)) == [.close(1)])
        #expect(pool.connectFailed(2, at: at(3), using: &random) == [.stopped])
        #expect(pool.nextDeadline == nil)
    }

    @Test func `a connection that opens after the shutdown timeout is closed`() {
        var pool = machine()
        #expect(pool.start(at: at(0)) == [.connect(1)])
        #expect(pool.shutDown(at: at(1)) == [])
        #expect(pool.tick(at: at(11)) == [.stopped])
        #expect(pool.connected(1, at: at(12)) == [.close(1)])
    }

    // MARK: Random events

    @Test(arguments: 0..<20)
    func `random events never lose a request or exceed a limit`(seed: UInt64) {
        var simulation = PoolSimulation(machine(), seed: seed, now: start)
        for _ in 0..<2_000 {
            simulation.step()
            simulation.checkLoad()
        }
        simulation.end()
    }
}
