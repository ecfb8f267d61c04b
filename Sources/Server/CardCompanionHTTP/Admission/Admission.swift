internal import CardCompanionStore
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics
internal import Synchronization

/// Takes as many requests at once as can be answered in time, and refuses the others before anything of them is used.
final class Admission: Sendable {
    /// Refused clients come back at different times.
    private static let retryAfterSeconds = 1...5

    private struct State {
        var limit: ConcurrencyLimit
        var inFlight = 0

        func hasRoom(for priority: RequestPriority) -> Bool {
            inFlight * 100 < limit.value * priority.sharePercent
        }
    }

    private let state: Mutex<State>
    private let refused: [RequestPriority: Counter]
    private let limitGauge = Gauge(label: "card_companion_requests_limit")
    private let inFlightGauge = Gauge(label: "card_companion_requests_in_flight")
    private let warning: RareWarning
    private let tooMany: Problem

    /// - Parameter least: so many requests are always taken at once.
    init(least: Int, logger: Logger) {
        let problem = Problem(
            .serviceUnavailable,
            "The server has more requests than it can answer in time. Nothing of this request was used: send it again later.",
            kind: "overloaded")
        tooMany = (try? problem.written()) ?? problem
        state = Mutex(State(limit: ConcurrencyLimit(least: least)))
        refused = Dictionary(
            uniqueKeysWithValues: RequestPriority.allCases.map {
                ($0, Counter(label: "card_companion_requests_refused_total", dimensions: [("priority", $0.rawValue)]))
            })
        warning = RareWarning(
            "More requests than can be answered in time: some are refused with 503. See docs/operations.md", logger)
    }

    /// Serves a request whose body is complete, so that a slow client takes no place.
    ///
    /// - Throws: ``Problem`` 503 `overloaded` if there are too many; what `work` throws.
    func serve<Answer>(_ priority: RequestPriority, _ work: () async throws -> Answer) async throws -> Answer {
        let begin = ContinuousClock.now
        try take(priority)
        do {
            let answer = try await work()
            end(begin, hasAnswer: true)
            return answer
        } catch {
            end(begin, hasAnswer: !Self.saysNoAnswer(error))
            throw error
        }
    }

    /// Refuses a request before its body is read, if there is no room for it now: that costs the server least.
    ///
    /// - Throws: ``Problem`` 503 `overloaded`.
    func requireRoom(for priority: RequestPriority, toRead request: Request) async throws(Problem) {
        do throws(Problem) {
            try requireRoom(for: priority)
        } catch {
            await RequestBodyReader.discard(request)
            throw error
        }
    }

    /// Refuses a request that takes no place, because most of its time it waits.
    ///
    /// - Throws: ``Problem`` 503 `overloaded` if there are too many others.
    func requireRoom(for priority: RequestPriority) throws(Problem) {
        guard state.withLock({ $0.hasRoom(for: priority) }) else { throw refusal(priority) }
    }

    private func take(_ priority: RequestPriority) throws(Problem) {
        let isTaken = state.withLock { state in
            guard state.hasRoom(for: priority) else { return false }
            state.inFlight += 1
            show(state)
            return true
        }
        guard isTaken else { throw refusal(priority) }
    }

    private func end(_ begin: ContinuousClock.Instant, hasAnswer: Bool) {
        state.withLock { state in
            state.limit.ended(begunAt: begin, hasAnswer: hasAnswer, of: state.inFlight, at: .now)
            state.inFlight -= 1
            show(state)
        }
    }

    private func show(_ state: State) {
        limitGauge.record(state.limit.value)
        inFlightGauge.record(state.inFlight)
    }

    private static func saysNoAnswer(_ error: any Error) -> Bool {
        switch error as? StoreError {
        case .unavailable, .outcomeUnknown: true
        default: false
        }
    }

    private func refusal(_ priority: RequestPriority) -> Problem {
        refused[priority]?.increment()
        warning.warn(["priority": "\(priority.rawValue)"])
        return tooMany.with(.retryAfter, "\(Int.random(in: Self.retryAfterSeconds))")
    }
}
