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
    /// The call is signed by another bank than that of its path, or the bank is disabled.
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
    private let clock: WallClock
    private let memory = IssuerKeyMemory()

    package init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Checks a call's signature, spends its nonce, and makes sure that the path belongs to the bank.
    ///
    /// - Parameters:
    ///   - authority: what the caller must have signed as the server's name.
    ///   - bankId: from the path.
    ///   - hasBody: whether there is a body. The caller must then check its digest.
    ///   - clientCertificate: what the caller showed in the TLS handshake.
    /// - Throws: ``IssuerRefusal``; ``RefusedCaller`` with ``ServiceUnavailable`` if too many unknown keys were named;
    ///   `StoreError`.
    package func authenticate(
        _ message: SignedMessage, authority: ExpectedAuthority, bankId: String, hasBody: Bool,
        clientCertificate: ClientCertificate
    ) async throws -> Caller {
        let now = clock.now()
        let policy = SignaturePolicy(authority: authority)
        let (key, verified) = try await verify(message, hasBody: hasBody, policy, now)
        // Twice the tolerance: a server whose clock is ahead may remove the nonce.
        let expiresAt = Timestamp(seconds: verified.created + 2 * policy.createdToleranceSeconds + ClockMargin.seconds)
        let nonce = SpentDigest.nonce(verified.nonce, ofKey: key.keyId)
        guard try await store.spendNonce(nonce, bankId: key.bankId, expiresAt: expiresAt) else {
            throw IssuerRefusal.nonceUsed
        }
        guard Identifier(bankId) == key.bankId else {
            throw IssuerRefusal.forbidden(reason: "The key belongs to another bank than the path.")
        }
        guard let bank = try await store.issuerBank(id: key.bankId), bank.status == .active else {
            throw IssuerRefusal.forbidden(reason: "The bank is disabled.")
        }
        try clientCertificate.require(oneOf: bank.clientCertificates)
        return Caller(bank: bank, keyId: key.keyId, contentDigest: verified.contentDigest)
    }

    private func verify(
        _ message: SignedMessage, hasBody: Bool, _ policy: SignaturePolicy, _ now: Timestamp
    ) async throws -> (IssuerKeyRecord, VerifiedSignature) {
        do {
            let fields = try SignatureFields(message)
            func verify(with keys: [IssuerKeyRecord]) throws -> (IssuerKeyRecord, VerifiedSignature) {
                try self.verify(fields, of: message, hasBody: hasBody, policy, with: keys, now)
            }
            let remembered = memory.keys(fields.keyIDs)
            let expected = Result { try verify(with: remembered) }
            let isInVain = if case .failure = expected { true } else { false }
            if isInVain, !memory.vain.take() {
                if remembered.count == fields.keyIDs.count { return try expected.get() }
                throw RefusedCaller(
                    reason: ServiceUnavailable("too many unknown keys of back-ends are being looked up"))
            }
            let keys = try await store.issuerKeys(keyIds: fields.keyIDs)
            memory.remember(keys, named: fields.keyIDs)
            let verified = try keys == remembered ? expected.get() : verify(with: keys)
            if isInVain { memory.vain.putBack() }
            return verified
        } catch let error as SignatureError {
            throw IssuerRefusal.unauthenticated(reason: error.description, signatureBase: error.signatureBase)
        }
    }

    private func verify(
        _ fields: SignatureFields, of message: SignedMessage, hasBody: Bool, _ policy: SignaturePolicy,
        with keys: [IssuerKeyRecord], _ now: Timestamp
    ) throws -> (IssuerKeyRecord, VerifiedSignature) {
        let active = keys.filter { $0.status == .active }
        if active.isEmpty, let key = keys.first {
            throw IssuerRefusal.unauthenticated(reason: "The key \(key.keyId) is disabled.", signatureBase: nil)
        }
        let signature = try fields.only(ofKeys: active.map(\.keyId))
        guard let key = active.first(where: { $0.keyId == signature.parameters.keyID }) else {
            throw IssuerRefusal.unauthenticated(reason: "The key is not known.", signatureBase: nil)
        }
        let verified = try policy.verify(
            signature, of: message, hasBody: hasBody, with: try verificationKey(key), now: now.seconds)
        return (key, verified)
    }

    private func verificationKey(_ record: IssuerKeyRecord) throws -> VerificationKey {
        if let sealed = record.sealedSecret {
            return .hmacSHA256(try HMACKey(try keyring.open(sealed, in: .issuerSecret(record.keyId))))
        }
        guard let algorithm = SignatureAlgorithm(rawValue: record.algorithm), let publicKey = record.publicKey else {
            throw InvalidSetting(description: "issuer key '\(record.keyId)' cannot be read")
        }
        return try VerificationKey(algorithm, subjectPublicKeyInfo: publicKey)
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
