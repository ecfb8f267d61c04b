public import CardCompanionStore

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
    private let clock: WallClock

    /// Over a store.
    public init(store: Store, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Serves a call, or answers it as the same call was answered.
    ///
    /// - Parameters:
    ///   - key: the Idempotency-Key; without one the call is served.
    ///   - digest: SHA-256 of the call: method, path and body.
    /// - Throws: ``Refusal``, ``ServiceUnavailable``, and what `serve` throws, which leaves the key unused.
    public func serve(
        bankId: String, key: String?, digest: [UInt8], _ serve: () async throws -> IdempotentAnswer
    ) async throws -> IdempotentAnswer {
        guard let key else { return try await serve() }
        let now = clock.now()
        let claim = try await store.reaching {
            try await $0.claimIdempotency(
                bankId: bankId, key: key, digest: digest, now: now,
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
            try await store.reaching { try await $0.keepAnswer(answer, bankId: bankId, key: key) }
            return answer
        } catch {
            // Where this fails too, the key is free again when the call counts as abandoned.
            try? await store.releaseIdempotency(bankId: bankId, key: key)
            throw error
        }
    }
}
