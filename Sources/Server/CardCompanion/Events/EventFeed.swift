package import CardCompanionModel
package import CardCompanionStore
internal import HTTPSignatures
internal import ServiceLifecycle

/// A bank's events, for its back-end to fetch.
package final class EventFeed: Sendable {
    /// How many events one call can ask for.
    package static let limits = 1...500
    /// How long a call can wait for the first event.
    package static let waitLimitSeconds = 30
    /// How many calls can wait at a server at once: for one bank, and for all banks together, besides one call for each.
    /// Further calls are answered at once.
    package static let bankWaiterLimit = 20
    package static let sharedWaiterLimit = 1_000
    package static let waitingBankLimit = 1_000

    private static let pollInterval = Duration.milliseconds(500)

    private let store: Store
    private let keys: ServerKeys
    private let clock: WallClock
    private let waiters = BankQuota(
        banks: EventFeed.waitingBankLimit, shared: EventFeed.sharedWaiterLimit, bankLimit: EventFeed.bankWaiterLimit)

    package init(store: Store, keys: ServerKeys, clock: WallClock) {
        self.store = store
        self.keys = keys
        self.clock = clock
    }

    /// The fields that sign an answer with the server's key (RFC 9421), as webhooks are signed. The signature proves who sent
    /// the answer: anyone can seal a PIN to the bank's certificate.
    ///
    /// - Parameter body: the body of an answer with status 200.
    package func signedFields(of body: [UInt8]) throws -> [(name: String, value: String)] {
        guard let signer = keys.signer else { throw ServiceUnavailable("the server has no signing key") }
        let digest = (name: "Content-Digest", value: ContentDigest.fieldValue(for: body))
        let message = SignedMessage(status: 200, fields: [digest])
        return try [digest]
            + signer.signedFields(of: message, covering: [.status, .field(.contentDigest)], at: clock.now())
    }

    /// Acknowledges events: their sealed PINs are erased, and the events can be removed once they are old enough.
    ///
    /// - Throws: ``UnknownEventPosition`` if no answer had this cursor, `StoreError`.
    package func acknowledge(bankId: Identifier, upTo position: Int64, by keyId: String) async throws {
        let note = AuditNote(subject: nil, actor: "key:\(keyId)")
        guard
            try await store.acknowledgeEvents(bankId: bankId, upTo: position, audit: note, now: clock.now())
        else { throw UnknownEventPosition() }
    }

    /// The events after a position, in order. If there are none, waits up to `waitSeconds` for the first.
    ///
    /// - Parameter isOver: whether the server is about to stop, or the caller has gone. Then the call stops waiting.
    /// - Throws: ``UnknownEventPosition``, ``LostEvents``, `StoreError`.
    package func events(
        bankId: Identifier, after position: Int64, limit: Int, waitSeconds: Int, isOver: () -> Bool
    ) async throws -> [EventRecord] {
        var events = try await read(bankId, position, limit)
        if events.isEmpty { try await requireGiven(position) }
        guard events.isEmpty, waitSeconds > 0, let place = waiters.place(for: bankId) else { return events }
        defer { withExtendedLifetime(place) {} }
        let deadline = ContinuousClock.now + .seconds(min(waitSeconds, Self.waitLimitSeconds))
        while events.isEmpty, ContinuousClock.now < deadline, !isOver(), !Task.isShuttingDownGracefully {
            // A connection of HTTP/2 that breaks off cancels this task, and so does the server's end.
            guard (try? await Task.sleep(for: Self.pollInterval)) != nil else { break }
            events = try await Store.answeringAnew { try await read(bankId, position, limit) }
        }
        return events
    }

    /// Refuses a position that no answer had, as after a restore of the database: it would hide new events.
    private func requireGiven(_ position: Int64) async throws {
        guard position > 0 else { return }
        let last = try await store.lastEventPosition()
        guard position <= last else { throw UnknownEventPosition() }
    }

    private func read(_ bankId: Identifier, _ position: Int64, _ limit: Int) async throws -> [EventRecord] {
        let (events, lost) = try await store.events(bankId: bankId, after: position, limit: limit)
        guard position >= lost else { throw LostEvents(oldest: lost) }
        return events
    }
}

/// Events after the cursor were removed, and the bank has not acknowledged them.
package struct LostEvents: Error {
    /// The cursor to continue with: no event after it was removed.
    package let oldest: Int64
}

/// The cursor is not from an earlier answer.
package struct UnknownEventPosition: Error {}
