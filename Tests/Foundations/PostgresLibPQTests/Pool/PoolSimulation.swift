import Testing

@testable import PostgresLibPQ

/// Simulates callers, connections and time at random, and checks the machine's actions against its own records.
struct PoolSimulation {
    private var pool: PoolStateMachine
    private var random: SplitMix
    private var now: ContinuousClock.Instant
    private var lastRequest: UInt64 = 0
    private var waiting: Set<UInt64> = []
    private var connecting: Set<Int> = []
    private var idleOrShared: [Int: Int] = [:]
    private var leased: Set<Int> = []
    private var leaseRequests: Set<UInt64> = []
    private var isStopped = false

    init(_ pool: PoolStateMachine, seed: UInt64, now: ContinuousClock.Instant) {
        self.pool = pool
        self.now = now
        random = SplitMix(state: seed)
        apply(self.pool.start(at: now) ?? [])
    }

    mutating func step() {
        now += .milliseconds(Int.random(in: 0...200, using: &random))
        if let deadline = pool.nextDeadline, deadline <= now { apply(pool.tick(at: now)) }
        switch Int.random(in: 0..<14, using: &random) {
        case 0...4: acquire()
        case 5: if let id = waiting.randomElement(using: &random) { apply(pool.cancel(id, at: now)) }
        case 6...9: finishOne()
        case 10: if let id = leased.randomElement(using: &random) { giveBack(id) }
        case 11: connectOne()
        case 12:
            connectOne()
            if Bool.random(using: &random) { retireOne() }
        default: loseOne()
        }
    }

    /// After shutdown and the timeouts, no request waits and no connection is open.
    mutating func end() {
        apply(pool.shutDown(at: now))
        now += .seconds(11)
        apply(pool.tick(at: now))
        #expect(waiting.isEmpty)
        #expect(idleOrShared.isEmpty && leased.isEmpty)
        #expect(isStopped)
    }

    private mutating func acquire() {
        lastRequest += 1
        let isLease = Int.random(in: 0..<6, using: &random) == 0
        waiting.insert(lastRequest)
        if isLease { leaseRequests.insert(lastRequest) }
        apply(pool.acquire(lastRequest, isLease ? .lease : .shared, at: now))
    }

    private mutating func finishOne() {
        guard let id = idleOrShared.filter({ $0.value > 0 }).keys.sorted().randomElement(using: &random) else { return }
        idleOrShared[id, default: 0] -= 1
        apply(pool.finished(id, at: now))
    }

    private mutating func giveBack(_ id: Int) {
        leased.remove(id)
        idleOrShared[id] = 0
        apply(pool.leaseReturned(id, at: now))
    }

    private mutating func connectOne() {
        guard let id = connecting.sorted().randomElement(using: &random) else { return }
        connecting.remove(id)
        if Int.random(in: 0..<3, using: &random) == 0 {
            apply(pool.connectFailed(id, at: now, using: &random))
        } else {
            idleOrShared[id] = 0
            apply(pool.connected(id, at: now))
        }
    }

    private mutating func retireOne() {
        guard let id = idleOrShared.keys.sorted().randomElement(using: &random) else { return }
        apply(pool.retire(id, at: now, using: &random))
    }

    private mutating func loseOne() {
        guard let id = (idleOrShared.keys.sorted() + leased.sorted()).randomElement(using: &random) else { return }
        idleOrShared[id] = nil
        leased.remove(id)
        apply(pool.lost(id, at: now, using: &random))
    }

    private mutating func apply(_ actions: [PoolStateMachine.Action]) {
        for action in actions {
            switch action {
            case .connect(let id):
                #expect(connecting.insert(id).inserted)
            case .grant(let request, let id):
                grant(request, id)
            case .fail(let request, _):
                #expect(waiting.remove(request) != nil)
            case .close(let id):
                #expect(idleOrShared.removeValue(forKey: id) != nil || leased.remove(id) != nil)
            case .stopped:
                isStopped = true
                connecting = []
            }
        }
        #expect(waiting.count <= 4)
        #expect(connecting.count <= 2)
        #expect(connecting.count + idleOrShared.count + leased.count <= 3 || isStopped)
        #expect(leased.count <= 2)
    }

    /// What the machine says that it has to do.
    func checkLoad() {
        let requests = Array(idleOrShared.values) + leased.map { _ in 1 }
        #expect(
            pool.load
                == PoolLoad(
                    open: requests.count, inUse: requests.count { $0 > 0 }, requestsInFlight: requests.reduce(0, +),
                    deepestPipeline: requests.max() ?? 0, waiting: waiting.count))
    }

    private mutating func grant(_ request: UInt64, _ id: Int) {
        #expect(waiting.remove(request) != nil)
        let inFlight = idleOrShared[id]
        if leaseRequests.contains(request) {
            #expect(inFlight == 0)
            idleOrShared[id] = nil
            leased.insert(id)
        } else {
            #expect(inFlight ?? .max < 2)
            idleOrShared[id, default: 0] += 1
        }
    }
}
