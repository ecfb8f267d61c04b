internal import CardCompanionModel
internal import CardCompanionStore
package import Logging
internal import Metrics
internal import Synchronization

/// Takes as many requests at once as can be answered in time, and refuses the others before anything of them is used. Each bank
/// has its share of them.
package final class Admission: Sendable {
    /// So many requests are always served at once. A bank that is alone has at least seven of them, about as many as the database has
    /// sessions.
    package static let usualLeast = 12

    private struct State {
        var limit: ConcurrencyLimit
        var inFlight = 0
        var shares = BankShares()
        var rates: TokenBuckets<Identifier>?

        func hasRoom(for priority: RequestPriority) -> Bool {
            inFlight * 100 < limit.value * priority.sharePercent
        }

        /// Nil if the bank can have one more request.
        func refusal(of bankId: Identifier, at now: ContinuousClock.Instant) -> Overloaded? {
            guard shares.hasRoom(for: bankId, inFlight: inFlight, limit: limit.value) else {
                return Overloaded(.bankShare)
            }
            return rates?.retryAfterSeconds(bankId, at: now).map { Overloaded(.bankRate, afterSeconds: $0 - 1) }
        }
    }

    private let state: Mutex<State>
    private let refusedByServer = refusalCounters(cause: "server")
    private let refusedByBank = refusalCounters(cause: "bank")
    private let limitGauge = Gauge(label: "card_companion_requests_limit")
    private let inFlightGauge = Gauge(label: "card_companion_requests_in_flight")
    private let overload: RareWarning
    private let greed: RareWarning

    /// - Parameters:
    ///   - least: so many requests are always taken at once.
    ///   - bankRate: how many requests each bank can have; nil without a limit.
    package init(least: Int, bankRate: TokenBucket.Rate?, logger: Logger) {
        state = Mutex(State(limit: ConcurrencyLimit(least: least), rates: bankRate.map { TokenBuckets($0, at: .now) }))
        overload = RareWarning(
            "More requests than can be answered in time: some are refused with 503. See docs/operations.md", logger)
        greed = RareWarning(
            "A bank has more requests than its share: some are refused with 503. See docs/operations.md", logger)
        state.withLock { show($0) }
    }

    private static func refusalCounters(cause: String) -> [RequestPriority: Counter] {
        Dictionary(
            uniqueKeysWithValues: RequestPriority.allCases.map { priority in
                let dimensions = [("priority", priority.rawValue), ("cause", cause)]
                return (priority, Counter(label: "card_companion_requests_refused_total", dimensions: dimensions))
            })
    }

    /// Serves a request whose body is complete, so that a slow client takes no place.
    ///
    /// - Throws: ``Overloaded`` if there are too many; what `work` throws.
    package func serve<Answer>(_ priority: RequestPriority, _ work: () async throws -> Answer) async throws -> Answer {
        let place = RequestPlace(priority, self)
        try take(priority)
        do {
            let answer = try await RequestPlace.$current.withValue(place) { try await work() }
            leave(place, .answered)
            return answer
        } catch {
            leave(place, Ending(error))
            throw error
        }
    }

    /// Refuses a request that takes no place, because most of its time it waits, or one whose body is still to come.
    ///
    /// - Throws: ``Overloaded`` if there are too many others.
    package func requireRoom(for priority: RequestPriority) throws(Overloaded) {
        guard state.withLock({ $0.hasRoom(for: priority) }) else { throw refused(priority) }
    }

    private func take(_ priority: RequestPriority) throws(Overloaded) {
        let isTaken = state.withLock { state in
            guard state.hasRoom(for: priority) else { return false }
            state.inFlight += 1
            show(state)
            return true
        }
        guard isTaken else { throw refused(priority) }
    }

    private func refused(_ priority: RequestPriority) -> Overloaded {
        refusedByServer[priority]?.increment()
        overload.warn(["priority": "\(priority.rawValue)"])
        return Overloaded(.server)
    }

    /// Confirmations are never charged to a bank, and so never refused because of one.
    func requireRoom(of bankId: Identifier, for place: RequestPlace) throws(Overloaded) {
        guard place.priority != .confirmation else { return }
        let refusal = state.withLock { $0.refusal(of: bankId, at: place.begin) }
        if let refusal { throw refused(refusal, place, bankId) }
    }

    func charge(_ place: RequestPlace, to bankId: Identifier) throws(Overloaded) {
        let refusal: Overloaded? = state.withLock { state in
            if let refusal = state.refusal(of: bankId, at: place.begin) { return refusal }
            _ = state.rates?.charge(bankId, at: place.begin)
            state.shares.take(for: bankId)
            return nil
        }
        if let refusal { throw refused(refusal, place, bankId) }
    }

    func putBack(of bankId: Identifier) {
        state.withLock { $0.rates?.putBack(bankId, at: .now) }
    }

    private func refused(_ refusal: Overloaded, _ place: RequestPlace, _ bankId: Identifier) -> Overloaded {
        refusedByBank[place.priority]?.increment()
        greed.warn(["bankId": "\(bankId)"])
        return refusal
    }

    private func leave(_ place: RequestPlace, _ ending: Ending) {
        state.withLock { state in
            if ending != .refused {
                state.limit.ended(
                    begunAt: place.begin, hasAnswer: ending == .answered, of: state.inFlight, at: .now)
            }
            state.inFlight -= 1
            if let bankId = place.bank { state.shares.release(of: bankId) }
            show(state)
        }
    }

    private func show(_ state: State) {
        limitGauge.record(state.limit.value)
        inFlightGauge.record(state.inFlight)
    }

    /// How the work for a request has ended.
    private enum Ending {
        case answered
        /// The database did not answer in time.
        case unanswered
        /// There was no room for its bank. How long that took says nothing about the database.
        case refused

        init(_ error: any Error) {
            switch error {
            case is Overloaded: self = .refused
            case StoreError.unavailable, StoreError.outcomeUnknown: self = .unanswered
            default: self = .answered
            }
        }
    }
}
