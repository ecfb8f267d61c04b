// For epoll, which Glibc does not have.
import CLibPQ
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
    var usesTLS = false
    /// Whether an answer is the expected one.
    var isExpected: @Sendable (UnsafeRawBufferPointer) -> Bool = Operation.isExpected
    /// Whether the answers' bytes are kept.
    var keepsAnswers = false
    /// Whether it sleeps until a request is due. It then takes less of a processor that others need, and sends up to 0.2 ms late.
    var sleepsUntilDue = false

    /// Sends the requests; with ``Pace/asFastAsPossible(seconds:)`` not all of them, if the time is over.
    func run(_ requests: RequestBatch, _ pace: Pace) throws -> LoadResult {
        try run(requests, pace) { $0 }
    }

    /// Sends the requests, and calls `body` while the connections are still open.
    func run<Result>(_ requests: RequestBatch, _ pace: Pace, _ body: (LoadResult) throws -> Result) throws -> Result {
        let connections = try connect()
        return try withExtendedLifetime(connections) { try body(try run(requests, pace, over: connections)) }
    }

    /// Opens the connections.
    func connect() throws -> [Connection] {
        let tls = usesTLS ? try TLSSession.clientContext() : nil
        return try (0..<connectionCount).map { _ in try Connection(port: port, tls.map { try TLSSession($0) }) }
    }

    /// Sends the requests over connections that are open.
    func run(_ requests: RequestBatch, _ pace: Pace, over connections: [Connection]) throws -> LoadResult {
        var run = try Run(requests, pace, connections, self)
        return try run.toEnd()
    }

    /// What goes on during a run.
    private struct Run {
        let requests: RequestBatch
        let pace: Pace
        let connections: [Connection]
        let generator: LoadGenerator
        private let sockets: Sockets
        private let start = Nanoseconds.now()
        private var sent = 0
        /// Connections without a request. They are used in turn, because the server closes one that sends nothing.
        private var idle: [Connection]
        private var result = LoadResult()

        init(
            _ requests: RequestBatch, _ pace: Pace, _ connections: [Connection], _ generator: LoadGenerator
        ) throws {
            self.requests = requests
            self.pace = pace
            self.connections = connections
            self.generator = generator
            sockets = try Sockets(connections.map(\.socket))
            idle = connections
        }

        mutating func toEnd() throws -> LoadResult {
            while true {
                try sendDue()
                if idle.count == connections.count, nextDue == nil { break }
                try wait()
            }
            result.seconds = Double(Nanoseconds.now() - start) / 1e9
            return result
        }

        /// When the next request is due; nil if there is none.
        private var nextDue: Int64? {
            guard sent < requests.count else { return nil }
            switch pace {
            case .asFastAsPossible(let seconds):
                // One is sent in any case: nobody can divide by none.
                return sent == 0 || Double(Nanoseconds.now() - start) < seconds * 1e9 ? 0 : nil
            case .constant(let perSecond): return start + Int64(Double(sent) * 1e9 / perSecond)
            }
        }

        private mutating func sendDue() throws {
            while let connection = idle.first {
                let now = Nanoseconds.now()
                guard let due = nextDue, due <= now else { return }
                if case .constant = pace {
                    connection.begin(sent, dueAt: due)
                } else {
                    connection.begin(sent, dueAt: now)
                }
                try requests.withRequest(sent) { try connection.send($0) }
                sent += 1
                idle.removeFirst()
            }
        }

        /// Waits for answers, or until the next request is due.
        private mutating func wait() throws {
            let left = min(30_000_000_000, idle.isEmpty ? .max : max(0, (nextDue ?? .max) - Nanoseconds.now()))
            // Whole milliseconds, because it wakes late.
            let pause = generator.sleepsUntilDue ? left : left - left % 1_000_000
            for place in try sockets.wait(nanoseconds: pause) {
                let connection = connections[place]
                try connection.receive()
                guard let answer = connection.answer else { continue }
                record(answer, of: connection)
                connection.end()
                idle.append(connection)
            }
        }

        private mutating func record(_ answer: UnsafeRawBufferPointer, of connection: Connection) {
            let latency = Nanoseconds.now() - connection.dueAt
            result.latencies.append(latency)
            result.answerBytes += answer.count
            if generator.keepsAnswers { result.answers.append((connection.request, Array(answer))) }
            guard !generator.isExpected(answer) else { return result.successes.append(latency) }
            result.refusals.append(latency)
            result.failures += 1
            if result.unexpected == nil { result.unexpected = connection.answerText }
        }
    }
}

/// Waits for sockets.
private final class Sockets {
    private let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    init(_ sockets: [Int32]) throws {
        for (place, socket) in sockets.enumerated() {
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(place)))
            guard epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0 else {
                throw LoadFailed(description: "epoll_ctl failed")
            }
        }
    }

    deinit { close(epoll) }

    /// - Returns: the places of those that can be read, some of them if they are many.
    func wait(nanoseconds: Int64) throws -> [Int] {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let count = epoll_pwait2(epoll, &events, CInt(events.count), &time, nil)
        guard count >= 0 else { throw LoadFailed(description: "epoll_pwait2 failed") }
        return events.prefix(Int(count)).map { Int($0.data.u64) }
    }
}

/// What a run of a ``LoadGenerator`` found.
struct LoadResult {
    /// In nanoseconds, in the order of the answers.
    var latencies: [Int64] = []
    /// Those of the expected answers, and those of the others.
    var successes: [Int64] = []
    var refusals: [Int64] = []
    /// How many answers were not the expected ones, and the first of them.
    var failures = 0
    var unexpected: String?
    /// How long the run took.
    var seconds = 0.0
    /// The length of all answers.
    var answerBytes = 0
    /// The answers with the numbers of their requests, if they are kept.
    var answers: [(request: Int, bytes: [UInt8])] = []

    /// The mean length of an answer.
    var answerByteCount: Int { answerBytes / max(1, latencies.count) }

    var perSecond: Double { Double(latencies.count) / seconds }

    /// In milliseconds. Exact: all latencies are kept.
    func percentile(_ share: Double) -> Double { Self.percentile(share, of: latencies) }

    static func percentile(_ share: Double, of latencies: [Int64]) -> Double {
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
