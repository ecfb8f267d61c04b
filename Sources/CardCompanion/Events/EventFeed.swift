public import CardCompanionStore
internal import ServiceLifecycle
internal import Synchronization

/// A bank's events, for its back-end to fetch.
public final class EventFeed: Sendable {
    /// How many events one call may ask for.
    public static let limits = 1...500
    /// How long a call may wait for the first event.
    public static let waitLimitSeconds = 30
    /// How many calls of a bank may wait at once at a server; a further one is answered at once.
    public static let waiterLimit = 20

    private static let pollInterval = Duration.milliseconds(500)

    private let store: Store
    private let waiters = Mutex<[ExactText: Int]>([:])

    /// Over a store.
    public init(store: Store) {
        self.store = store
    }

    /// The events behind a position, in order; where there are none, those that come within `waitSeconds`.
    ///
    /// - Throws: ``UnknownEventPosition``, ``ServiceUnavailable``.
    public func events(
        bankId: String, after position: Int64, limit: Int, waitSeconds: Int
    ) async throws -> [EventRecord] {
        var events = try await read(bankId, position, limit)
        if events.isEmpty { try await requireGiven(position) }
        guard events.isEmpty, waitSeconds > 0, mayWait(bankId) else { return events }
        defer { endWaiting(bankId) }
        let deadline = ContinuousClock.now + .seconds(min(waitSeconds, Self.waitLimitSeconds))
        while events.isEmpty, ContinuousClock.now < deadline, !Task.isShuttingDownGracefully {
            try await Task.sleep(for: Self.pollInterval)
            events = try await read(bankId, position, limit)
        }
        return events
    }

    /// Behind a position that was never given, as after a database was put back, nobody would ever see anything.
    private func requireGiven(_ position: Int64) async throws {
        guard position > 0 else { return }
        let last = try await store.reaching { try await $0.lastEventPosition() }
        guard position <= last else { throw UnknownEventPosition() }
    }

    private func mayWait(_ bankId: String) -> Bool {
        waiters.withLock { waiters in
            let count = waiters[ExactText(bankId)] ?? 0
            guard count < Self.waiterLimit else { return false }
            waiters[ExactText(bankId)] = count + 1
            return true
        }
    }

    private func endWaiting(_ bankId: String) {
        waiters.withLock { waiters in
            let count = (waiters[ExactText(bankId)] ?? 1) - 1
            waiters[ExactText(bankId)] = count == 0 ? nil : count
        }
    }

    private func read(_ bankId: String, _ position: Int64, _ limit: Int) async throws -> [EventRecord] {
        try await store.reaching { try await $0.events(bankId: bankId, after: position, limit: limit) }
    }
}

extension EventRecord {
    /// The event as a bank's back-end gets it, fetched or told.
    public func json(bankId: String) -> String {
        var text = #"{"id":"\#(id)","type":"\#(type)","bankId":\#(Self.quoted(bankId))"#
        text += #","uniqueId":\#(Self.quoted(uniqueId)),"occurredAt":\#(occurredAt.seconds),"data":\#(data)}"#
        return text
    }

    /// By scalars: a quotation mark with an accent is another character, but still the end of a JSON string. Identifiers
    /// hold no control characters.
    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return #"""# + scalars.joined() + #"""#
    }
}

/// No event was ever given that position.
public struct UnknownEventPosition: Error {}
