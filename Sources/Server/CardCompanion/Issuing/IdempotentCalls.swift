package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// Serves a call that has an Idempotency-Key once, and answers its repetitions with the same answer.
///
/// The answer is stored in the transaction of the change. So every change has its answer, even if a server dies.
package struct IdempotentCalls: Sendable {
    /// How long a key is remembered.
    package static let lifetimeSeconds: Int64 = 86_400

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
    ///   - digest: SHA-256 of everything that makes it the same call. It is stored as a MAC: keyed, so that a database
    ///     reader cannot test guesses.
    ///   - serve: writes the cardholder, and gives the store the call to keep. If it fails, the key stays unused.
    /// - Throws: ``Refusal``, `StoreError`, and the errors of `serve`.
    package func serve(
        bankId: Identifier, key: String?, digest: [UInt8],
        _ serve: (IdempotentCall?) async throws -> WriteOutcome
    ) async throws -> WriteOutcome {
        guard let key else { return try await serve(nil) }
        if let written = try await answer(bankId, key, digest) { return .done(written) }
        let call = IdempotentCall(
            key: key, mac: try keyring.authenticationCode(for: digest, in: place(bankId, key)),
            expiresAt: clock.now().advanced(bySeconds: Self.lifetimeSeconds))
        let outcome = try await serve(call)
        switch outcome {
        case .underWay: throw Refusal.underWay
        case .answered:
            guard let written = try await answer(bankId, key, digest) else { throw Refusal.underWay }
            return .done(written)
        default: return outcome
        }
    }

    private func answer(_ bankId: Identifier, _ key: String, _ digest: [UInt8]) async throws -> WrittenCardholder? {
        guard let answer = try await store.idempotentAnswer(bankId: bankId, key: key, now: clock.now()) else {
            return nil
        }
        let macs = try keyring.authenticationCodes(for: digest, in: place(bankId, key))
        guard macs.contains(answer.mac) else { throw Refusal.otherCall }
        return answer.written
    }

    private func place(_ bankId: Identifier, _ key: String) -> SealedPlace {
        .idempotentRequest(bankId: bankId, key: key)
    }
}
