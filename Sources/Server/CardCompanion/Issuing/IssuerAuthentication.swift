package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import HTTPSignatures
package import KeyVault
internal import SecureMemory

/// Why a call of a bank's back-end is refused.
package enum IssuerRefusal: Error {
    /// The call has no valid signature. The signature base is the text that the signature was verified against.
    case unauthenticated(reason: String, signatureBase: String?)
    /// The signature is right, but its nonce was used before: the call must be signed again.
    case nonceUsed
    /// The bank that signed the call is not the one in its path, or it is disabled.
    case forbidden(reason: String)
}

/// Authenticates a bank's back-end by the signature of its call (RFC 9421; protocol, section 3).
package struct IssuerAuthentication: Sendable {
    package struct Caller: Sendable {
        package let bank: IssuerBank
        /// The key that signed the call.
        package let keyId: String
        /// The required digest of the body; nil if there is no body.
        package let contentDigest: ContentDigest?
    }

    private let store: Store
    private let keyring: Keyring
    private let countedObjects: CountedObjects
    private let clock: WallClock
    private let memory: IssuerKeyMemory
    private let replays = ReplayMetrics()

    /// - Parameter lookUps: the limit on look-ups of unknown keys.
    package init(
        store: Store, keyring: Keyring, countedObjects: CountedObjects, clock: WallClock,
        lookUps: TokenBucket.Rate = .usualLookUps
    ) {
        memory = IssuerKeyMemory(lookUps: lookUps)
        self.store = store
        self.keyring = keyring
        self.countedObjects = countedObjects
        self.clock = clock
    }

    /// Checks a call's signature, spends its nonce, and makes sure that the path belongs to the bank.
    ///
    /// - Parameters:
    ///   - authority: what the caller must have signed as the server's name.
    ///   - bankId: from the path.
    ///   - hasBody: whether there is a body. The caller must then check its digest.
    ///   - clientCertificate: what the caller showed in the TLS handshake.
    /// - Throws: ``IssuerRefusal``; ``Overloaded``; ``RefusedCaller`` with ``ServiceUnavailable`` if too many unknown keys were named;
    ///   `StoreError`.
    package func authenticate(
        _ message: SignedMessage, authority: ExpectedAuthority, bankId: String, hasBody: Bool,
        clientCertificate: ClientCertificate
    ) async throws -> Caller {
        if let named = Identifier(bankId) { try RequestPlace.requireRoom(of: named) }
        let call = SignedCall(
            message: message, policy: SignaturePolicy(authority: authority), hasBody: hasBody, time: clock.now())
        let accepted: Accepted
        do {
            accepted = try await accept(call)
        } catch let error as SignatureError {
            throw IssuerRefusal.unauthenticated(reason: error.description, signatureBase: error.signatureBase)
        }
        guard Identifier(bankId) == accepted.bank.id else {
            throw IssuerRefusal.forbidden(reason: "The key belongs to another bank than the path.")
        }
        guard accepted.bank.requestsFrom.map({ accepted.signature.created > $0.seconds }) ?? true else {
            throw IssuerRefusal.unauthenticated(
                reason: "The signature is from before the database was restored: sign the call again.",
                signatureBase: nil)
        }
        guard accepted.bank.status == .active else {
            throw IssuerRefusal.forbidden(reason: "The bank is disabled.")
        }
        try clientCertificate.require(oneOf: accepted.bank.clientCertificates)
        return Caller(
            bank: accepted.bank, keyId: accepted.keyId, contentDigest: accepted.signature.contentDigest)
    }

    private struct SignedCall {
        let message: SignedMessage
        let policy: SignaturePolicy
        let hasBody: Bool
        let time: Timestamp
    }

    private struct Accepted {
        let bank: IssuerBank
        let keyId: String
        let signature: VerifiedSignature
    }

    /// Verifies a call with the remembered keys. If they do not verify it, or one of them has changed, the keys in the
    /// database decide.
    private func accept(_ call: SignedCall) async throws -> Accepted {
        let fields = try SignatureFields(call.message)
        let remembered = memory.keys(fields.keyIDs, of: countedObjects.generation)
        let knowsAll = remembered.count == fields.keyIDs.count
        let expected = Result { try verify(fields, of: call, with: remembered) }
        if knowsAll, case .success(let (key, signature)) = expected,
            let accepted = try await spend(key, signature, of: call)
        {
            return accepted
        }
        let generation = countedObjects.generation
        let isInVain = if case .failure = expected { true } else { false }
        if isInVain, !memory.vain.take() {
            if knowsAll { _ = try expected.get() }
            throw RefusedCaller(
                reason: ServiceUnavailable("too many unknown keys of back-ends are being looked up"))
        }
        let found = try await countedObjects.counted(try await store.issuerKeys(keyIds: fields.keyIDs))
        let keys = try found.map { try IssuerKey($0) }
        memory.remember(keys, named: fields.keyIDs, of: generation)
        let (key, signature) = try verify(fields, of: call, with: keys)
        if isInVain { memory.vain.putBack() }
        guard let accepted = try await spend(key, signature, of: call) else {
            throw ServiceUnavailable("the key that signed the call is being changed")
        }
        return accepted
    }

    /// - Returns: nil if the key has changed.
    private func spend(
        _ key: IssuerKey, _ signature: VerifiedSignature, of call: SignedCall
    ) async throws -> Accepted? {
        try RequestPlace.charge(to: key.record.bankId)
        // Twice the tolerance, because a server whose clock is ahead may remove the nonce early.
        let expiresAt = Timestamp(
            seconds: signature.created + 2 * call.policy.createdToleranceSeconds + ClockMargin.seconds)
        let nonce = SpentDigest.nonce(signature.nonce, ofKey: key.record.keyId)
        let acceptance = try await store.acceptCall(
            signedWith: key.record, nonce: nonce, expiresAt: expiresAt, now: call.time)
        switch acceptance {
        case .keyChanged: return nil
        case .nonceSpent:
            RequestPlace.noteRepetition()
            replays.refusedNonce()
            throw IssuerRefusal.nonceUsed
        case .accepted(let bank):
            guard let approved = try await countedObjects.countedPart(of: bank) else {
                throw IssuerRefusal.forbidden(reason: "The bank is not served.")
            }
            return Accepted(bank: approved, keyId: key.record.keyId, signature: signature)
        }
    }

    private func verify(
        _ fields: SignatureFields, of call: SignedCall, with keys: [IssuerKey]
    ) throws -> (IssuerKey, VerifiedSignature) {
        let active = keys.filter { $0.record.status == .active }
        if active.isEmpty, let key = keys.first {
            throw IssuerRefusal.unauthenticated(reason: "The key \(key.record.keyId) is disabled.", signatureBase: nil)
        }
        let signature = try fields.only(ofKeys: active.map(\.record.keyId))
        guard let key = active.first(where: { $0.record.keyId == signature.parameters.keyID }) else {
            throw IssuerRefusal.unauthenticated(reason: "The key is not known.", signatureBase: nil)
        }
        let verified = try call.policy.verify(
            signature, of: call.message, hasBody: call.hasBody, with: try key.verificationKey(keyring),
            now: call.time.seconds)
        return (key, verified)
    }
}

/// What a caller showed in the TLS handshake.
package enum ClientCertificate: Sendable {
    /// The server requires none.
    case notRequired
    /// The server requires one, and the caller showed none.
    case missing
    /// DER of the certificate. TLS has validated it.
    case shown([UInt8])

    fileprivate func require(oneOf fingerprints: [[UInt8]]) throws(IssuerRefusal) {
        switch self {
        case .notRequired: return
        case .missing: throw .forbidden(reason: "The connection shows no client certificate.")
        case .shown(let der):
            guard fingerprints.contains(SHA256.hash(der)) else {
                throw .forbidden(reason: "The client certificate is not one of the bank's.")
            }
        }
    }
}
