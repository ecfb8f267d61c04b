package import CardCompanionStore
internal import ServiceLifecycle

/// A bank's events, for its back-end to fetch.
package final class EventFeed: Sendable {
    /// How many events one call can ask for.
    package static let limits = 1...500
    /// How long a call can wait for the first event.
    package static let waitLimitSeconds = 30
    /// How many calls can wait at a server at once: of one bank, and of all banks besides one each. Further calls are answered
    /// at once.
    package static let bankWaiterLimit = 20
    package static let sharedWaiterLimit = 1_000
    package static let waitingBankLimit = 1_000

    private static let pollInterval = Duration.milliseconds(500)

    private let store: Store
    private let waiters = BankQuota(
        banks: EventFeed.waitingBankLimit, shared: EventFeed.sharedWaiterLimit, bankLimit: EventFeed.bankWaiterLimit)

    package init(store: Store) {
        self.store = store
    }

    /// The events after a position, in order. If there are none, waits up to `waitSeconds` for the first.
    ///
    /// - Throws: ``UnknownEventPosition``, `StoreError`.
    package func events(
        bankId: Identifier, after position: Int64, limit: Int, waitSeconds: Int
    ) async throws -> [EventRecord] {
        var events = try await read(bankId, position, limit)
        if events.isEmpty { try await requireGiven(position) }
        guard events.isEmpty, waitSeconds > 0, let place = waiters.place(for: bankId) else { return events }
        defer { withExtendedLifetime(place) {} }
        let deadline = ContinuousClock.now + .seconds(min(waitSeconds, Self.waitLimitSeconds))
        while events.isEmpty, ContinuousClock.now < deadline, !Task.isShuttingDownGracefully {
            try await Task.sleep(for: Self.pollInterval)
            events = try await read(bankId, position, limit)
        }
        return events
    }

    /// A position that was never given, for example after a restore of the database, would hide new events.
    private func requireGiven(_ position: Int64) async throws {
        guard position > 0 else { return }
        let last = try await store.lastEventPosition()
        guard position <= last else { throw UnknownEventPosition() }
    }

    private func read(_ bankId: Identifier, _ position: Int64, _ limit: Int) async throws -> [EventRecord] {
        try await store.events(bankId: bankId, after: position, limit: limit)
    }
}

/// The cursor is not from an earlier answer.
package struct UnknownEventPosition: Error {}
