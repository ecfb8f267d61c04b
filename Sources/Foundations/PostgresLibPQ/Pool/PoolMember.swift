extension PoolStateMachine {
    /// One connection.
    struct Member {
        enum State: Equatable {
            case connecting
            case shared(Pipeline)
            case retiring(inFlight: Int)
            case leased
        }

        let id: ConnectionID
        var state = State.connecting

        var isConnecting: Bool {
            if case .connecting = state { true } else { false }
        }

        /// Whether it is retiring and its last request has ended.
        var isOver: Bool {
            if case .retiring(0) = state { true } else { false }
        }

        /// The shared requests in flight; nil if the connection is not shared.
        var pipeline: Pipeline? {
            guard case .shared(let pipeline) = state else { return nil }
            return pipeline
        }

        /// The number of shared requests in flight; nil if the connection is not shared.
        var inFlight: Int? { pipeline?.inFlight }

        var isIdle: Bool { inFlight == 0 }

        /// Also on a connection that gets no more.
        var requestsInFlight: Int {
            switch state {
            case .connecting: 0
            case .leased: 1
            case .shared(let pipeline): pipeline.inFlight
            case .retiring(let inFlight): inFlight
            }
        }

        var idleSince: Instant? { isIdle ? pipeline?.since : nil }

        mutating func beginOne(at now: Instant) {
            guard var pipeline else { return }
            pipeline.begin(at: now)
            state = .shared(pipeline)
        }

        mutating func finishOne(at now: Instant) {
            switch state {
            case .shared(var pipeline) where pipeline.inFlight > 0:
                pipeline.finish(at: now)
                state = .shared(pipeline)
            case .retiring(let inFlight) where inFlight > 0:
                state = .retiring(inFlight: inFlight - 1)
            default:
                return
            }
        }
    }

    /// The shared requests that are in flight on one connection. The server answers them one after the other.
    struct Pipeline: Equatable {
        /// A statement that runs for longer may wait for a lock, and what follows on its connection waits, too.
        private static let slowAfter = Duration.milliseconds(100)

        private(set) var inFlight = 0
        /// Since when the server works on the oldest request; without requests, since when the connection is idle.
        private(set) var since: Instant

        init(idleSince now: Instant) { since = now }

        /// Whether another request probably waits for a shorter time here: a slow statement counts first, then the number of
        /// requests, then how long the server has worked on the oldest one.
        func isShorter(than other: Pipeline, at now: Instant) -> Bool {
            let (isSlow, otherIsSlow) = (isSlow(at: now), other.isSlow(at: now))
            if isSlow != otherIsSlow { return otherIsSlow }
            if inFlight != other.inFlight { return inFlight < other.inFlight }
            return since > other.since
        }

        private func isSlow(at now: Instant) -> Bool {
            inFlight > 0 && since.duration(to: now) > Self.slowAfter
        }

        mutating func begin(at now: Instant) {
            if inFlight == 0 { since = now }
            inFlight += 1
        }

        mutating func finish(at now: Instant) {
            inFlight -= 1
            since = now
        }
    }
}
