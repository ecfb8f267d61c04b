public import CardCompanionStore
public import KeyVault

/// Serves a call that has an Idempotency-Key once, and answers its repetitions as it was answered.
public struct IdempotentCalls: Sendable {
    /// How long a key is remembered.
    public static let lifetimeSeconds: Int64 = 86_400
    /// After how long a call that was never answered may be served again: its server has died.
    static let abandonedSeconds: Int64 = 60

    /// Why a call is not served.
    public enum Refusal: Error {
        /// The same call is being served.
        case underWay
        /// The key was used for another call.
        case otherCall
    }

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock

    /// Over a store.
    public init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Serves a call, or answers it as the same call was answered.
    ///
    /// - Parameters:
    ///   - key: the Idempotency-Key; without one the call is served.
    ///   - call: SHA-256 of method, path and body. It is kept as a MAC, for who reads that shall not be able to try bodies out.
    /// - Throws: ``Refusal``, ``ServiceUnavailable``, and what `serve` throws, which leaves the key unused.
    public func serve(
        bankId: String, key: String?, call: [UInt8], _ serve: () async throws -> IdempotentAnswer
    ) async throws -> IdempotentAnswer {
        guard let key else { return try await serve() }
        let now = clock.now()
        let mac = keyring.authenticationCode(
            for: call, in: SealedPlace("idempotent_answer.request_mac", row: bankId, key))
        let claim = try await store.reaching {
            try await $0.claimIdempotency(
                bankId: bankId, key: key, mac: mac, now: now,
                abandonedBefore: Timestamp(seconds: now.seconds - Self.abandonedSeconds),
                expiresAt: Timestamp(seconds: now.seconds + Self.lifetimeSeconds))
        }
        switch claim {
        case .answered(let answer): return answer
        case .underWay: throw Refusal.underWay
        case .otherCall: throw Refusal.otherCall
        case .first: break
        }
        do {
            let answer = try await serve()
            try await store.reaching { try await $0.keepAnswer(answer, bankId: bankId, key: key, begunAt: now) }
            return answer
        } catch {
            // Where this fails too, the key is free again when the call counts as abandoned.
            try? await store.releaseIdempotency(bankId: bankId, key: key, begunAt: now)
            throw error
        }
    }
}
