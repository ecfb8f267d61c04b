package import CardCompanionStore
package import KeyVault

/// Serves a call that has an Idempotency-Key once, and answers its repetitions with the same answer.
package struct IdempotentCalls: Sendable {
    /// How long a key is remembered.
    package static let lifetimeSeconds: Int64 = 86_400
    /// After how long an unanswered call can be served again: its server has died.
    static let abandonedSeconds: Int64 = 60

    /// Why a call is refused.
    package enum Refusal: Error {
        /// The same call is being served.
        case underWay
        /// The key was used for a different call.
        case otherCall
    }

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock

    package init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Serves a call, or repeats the answer to the same call.
    ///
    /// - Parameters:
    ///   - key: the Idempotency-Key; nil if the call has none. Then it is served.
    ///   - call: SHA-256 of method, path and body. It is stored as a MAC: keyed, so that a database reader cannot test
    ///     guesses.
    /// - Throws: ``Refusal``, `StoreError`, and the errors of `serve`, which leave the key unused.
    package func serve(
        bankId: Identifier, key: String?, call: [UInt8], _ serve: () async throws -> IdempotentAnswer
    ) async throws -> IdempotentAnswer {
        guard let key else { return try await serve() }
        let now = clock.now()
        let mac = keyring.authenticationCode(for: call, in: .idempotentRequest(bankId: bankId, key: key))
        let claim = try await store.claimIdempotency(
            bankId: bankId, key: key, mac: mac, now: now,
            abandonedBefore: now.advanced(bySeconds: -Self.abandonedSeconds),
            expiresAt: now.advanced(bySeconds: Self.lifetimeSeconds))
        switch claim {
        case .answered(let answer): return answer
        case .underWay: throw Refusal.underWay
        case .otherCall: throw Refusal.otherCall
        case .first: break
        }
        do {
            let answer = try await serve()
            try await store.keepAnswer(answer, bankId: bankId, key: key, begunAt: now)
            return answer
        } catch {
            // If this fails too, the key is free again when the call counts as abandoned.
            try? await store.releaseIdempotency(bankId: bankId, key: key, begunAt: now)
            throw error
        }
    }
}
