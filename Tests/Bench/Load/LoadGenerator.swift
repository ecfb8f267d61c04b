import Glibc

/// Sends prepared requests on some connections, one request at a time on each. One thread does all of it, so that it takes
/// little of the machine.
struct LoadGenerator {
    enum Pace {
        /// The next request as soon as an answer has come: saturation.
        case asFastAsPossible(seconds: Double)
        /// So many requests per second, whatever the answers do. Latency counts from the time at which a request was due, so
        /// a slow server cannot hide behind a client that waits (coordinated omission).
        case constant(perSecond: Double)
    }

    let port: Int
    let connectionCount: Int
    /// Whether an answer is the expected one.
    let isExpected: @Sendable (UnsafeRawBufferPointer) -> Bool

    /// Sends the requests; with ``Pace/asFastAsPossible(seconds:)`` not all of them, if the time is over.
    func run(_ requests: RequestBatch, _ pace: Pace) throws -> LoadResult {
        let connections = try (0..<connectionCount).map { _ in try Connection(port: port) }
        var run = Run(requests: requests, pace: pace, connections: connections, isExpected: isExpected)
        return try run.toEnd()
    }

    /// What goes on during a run.
    private struct Run {
        let requests: RequestBatch
        let pace: Pace
        let connections: [Connection]
        let isExpected: @Sendable (UnsafeRawBufferPointer) -> Bool
        private let start = Nanoseconds.now()
        private var sent = 0
        private var result = LoadResult()

        init(
            requests: RequestBatch, pace: Pace, connections: [Connection],
            isExpected: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
        ) {
            self.requests = requests
            self.pace = pace
            self.connections = connections
            self.isExpected = isExpected
        }

        mutating func toEnd() throws -> LoadResult {
            while true {
                try sendDue()
                let busy = connections.filter(\.isBusy)
                if busy.isEmpty, nextDue == nil { break }
                try wait(for: busy)
            }
            result.seconds = Double(Nanoseconds.now() - start) / 1e9
            return result
        }

        /// When the next request is due; nil if there is none.
        private var nextDue: Int64? {
            guard sent < requests.count else { return nil }
            switch pace {
            case .asFastAsPossible(let seconds): return Nanoseconds.now() - start < Int64(seconds * 1e9) ? 0 : nil
            case .constant(let perSecond): return start + Int64(Double(sent) * 1e9 / perSecond)
            }
        }

        private mutating func sendDue() throws {
            for connection in connections where !connection.isBusy {
                let now = Nanoseconds.now()
                guard let due = nextDue, due <= now else { return }
                if case .constant = pace { connection.begin(dueAt: due) } else { connection.begin(dueAt: now) }
                try requests.withRequest(sent) { try connection.send($0) }
                sent += 1
            }
        }

        /// Waits for answers, or until the next request is due.
        private mutating func wait(for busy: [Connection]) throws {
            let isIdle = busy.count < connections.count
            let left = isIdle ? max(0, (nextDue ?? .max) - Nanoseconds.now()) : .max
            let readable = try Readable.wait(for: busy.map(\.socket), nanoseconds: min(left, 30_000_000_000))
            for connection in busy where readable.contains(connection.socket) {
                try connection.receive()
                let isRight = connection.answer.map(isExpected)
                guard let isRight else { continue }
                if !isRight, result.unexpected == nil { result.unexpected = connection.answerText }
                result.failures += isRight ? 0 : 1
                result.latencies.append(Nanoseconds.now() - connection.dueAt)
                result.answerByteCount = connection.end()
            }
        }
    }
}

/// Waits for sockets, with a timeout that is finer than a millisecond.
private struct Readable {
    private var set = fd_set()

    static func wait(for sockets: [Int32], nanoseconds: Int64) throws -> Readable {
        var readable = Readable()
        for socket in sockets { readable.insert(socket) }
        var timeout = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        guard pselect((sockets.max() ?? -1) + 1, &readable.set, nil, nil, &timeout, nil) >= 0 else {
            throw LoadFailed(description: "pselect failed")
        }
        return readable
    }

    func contains(_ socket: Int32) -> Bool {
        withUnsafeBytes(of: set) { $0[Int(socket) / 8] & 1 << UInt8(socket % 8) != 0 }
    }

    private mutating func insert(_ socket: Int32) {
        withUnsafeMutableBytes(of: &set) { $0[Int(socket) / 8] |= 1 << UInt8(socket % 8) }
    }
}

/// What a run of a ``LoadGenerator`` found.
struct LoadResult {
    /// In nanoseconds, in the order of the answers.
    var latencies: [Int64] = []
    /// How many answers were not the expected ones, and the first of them.
    var failures = 0
    var unexpected: String?
    /// How long the run took.
    var seconds = 0.0
    /// The length of the last answer.
    var answerByteCount = 0

    var perSecond: Double { Double(latencies.count) / seconds }

    /// In milliseconds. Exact: all latencies are kept.
    func percentile(_ share: Double) -> Double {
        let sorted = latencies.sorted()
        guard let last = sorted.last else { return 0 }
        let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return Double(sorted.indices ~= index ? sorted[index] : last) / 1e6
    }
}

struct LoadFailed: Error, CustomStringConvertible {
    let description: String
}

/// The monotonic clock.
enum Nanoseconds {
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
