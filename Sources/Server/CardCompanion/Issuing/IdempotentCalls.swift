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

    /// Serves a call that writes a cardholder, or repeats the answer to the same call.
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
        if let written = try await written(bankId, key, digest) { return .done(written) }
        let outcome = try await serve(try call(bankId, key, digest))
        switch outcome {
        case .underWay: throw Refusal.underWay
        case .answered:
            guard let written = try await written(bankId, key, digest) else { throw Refusal.underWay }
            return .done(written)
        default: return outcome
        }
    }

    /// Serves an export, or repeats the answer to the same call.
    ///
    /// - Parameter export: as `serve`.
    /// - Returns: the JWE for the bank.
    /// - Throws: as ``serve(bankId:key:digest:_:)``.
    package func export(
        bankId: Identifier, key: String, digest: [UInt8],
        _ export: (IdempotentCall) async throws -> PINExports.Result
    ) async throws -> String {
        if let exported = try await exported(bankId, key, digest) { return exported }
        switch try await export(try call(bankId, key, digest)) {
        case .exported(let answer): return answer
        case .underWay: throw Refusal.underWay
        case .answered:
            guard let exported = try await exported(bankId, key, digest) else { throw Refusal.underWay }
            return exported
        }
    }

    private func call(_ bankId: Identifier, _ key: String, _ digest: [UInt8]) throws -> IdempotentCall {
        IdempotentCall(
            key: key, mac: try keyring.authenticationCode(for: digest, in: place(bankId, key)),
            expiresAt: clock.now().advanced(bySeconds: Self.lifetimeSeconds))
    }

    private func written(_ bankId: Identifier, _ key: String, _ digest: [UInt8]) async throws -> WrittenCardholder? {
        guard case .written(let written) = try await answer(bankId, key, digest) else { return nil }
        return written
    }

    private func exported(_ bankId: Identifier, _ key: String, _ digest: [UInt8]) async throws -> String? {
        guard case .exported(let answer) = try await answer(bankId, key, digest) else { return nil }
        return answer
    }

    private func answer(
        _ bankId: Identifier, _ key: String, _ digest: [UInt8]
    ) async throws -> IdempotentAnswer.Result? {
        guard let answer = try await store.idempotentAnswer(bankId: bankId, key: key, now: clock.now()) else {
            return nil
        }
        let macs = try keyring.authenticationCodes(for: digest, in: place(bankId, key))
        // The same call has the same path, so it has the same kind of result.
        guard macs.contains(answer.mac) else { throw Refusal.otherCall }
        return answer.result
    }

    private func place(_ bankId: Identifier, _ key: String) -> SealedPlace {
        .idempotentRequest(bankId: bankId, key: key)
    }
}
