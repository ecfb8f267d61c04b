public import CardCompanionStore
internal import Cryptography
public import HTTPSignatures
public import KeyVault
internal import SecureMemory

/// Why a bank's back-end is not let in.
public enum IssuerRefusal: Error {
    /// The call is not signed, or not as it must be. The signature base is what the signature was checked against.
    case unauthenticated(reason: String, signatureBase: String?)
    /// The call is signed by another bank than the one that its path names, or that bank is disabled.
    case forbidden(reason: String)
}

/// Lets in a bank's back-end by the signature of its call (RFC 9421; protocol, section 3).
public struct IssuerAuthentication: Sendable {
    /// Who calls.
    public struct Caller: Sendable {
        /// The bank.
        public let bank: BankRecord
        /// The key that has signed.
        public let keyId: String
        /// What the call's body must hash to; nil where there is no body.
        public let contentDigest: ContentDigest?
    }

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock

    /// Over the keys that banks have registered.
    public init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Checks a call's signature, spends its nonce, and makes sure that its path is the bank's own.
    ///
    /// - Parameters:
    ///   - clientCertificate: DER of what the caller showed when it connected; it must be the bank's. Nil where
    ///     connections need none.
    ///   - hasBody: whether there is a body, whose digest is then the caller's to check.
    /// - Throws: ``IssuerRefusal``, ``ServiceUnavailable``.
    public func authenticate(
        _ message: SignedMessage, bankId: String, hasBody: Bool, clientCertificate: ClientCertificate
    ) async throws -> Caller {
        let now = clock.now()
        let policy = SignaturePolicy()
        let (key, verified) = try await verify(message, hasBody: hasBody, policy, now)
        // Twice the tolerance: it may be another server, whose clock is ahead, that forgets it.
        let expiresAt = Timestamp(seconds: verified.created + 2 * policy.createdToleranceSeconds + 1)
        let isFresh = try await store.reaching {
            try await $0.spendNonce(verified.nonce, keyId: key.keyId, expiresAt: expiresAt)
        }
        guard isFresh else {
            throw IssuerRefusal.unauthenticated(reason: "The nonce was used before.", signatureBase: nil)
        }
        guard ExactText(key.bankId) == ExactText(bankId) else {
            throw IssuerRefusal.forbidden(reason: "The key is another bank's than the path's.")
        }
        let found = try await store.reaching { try await $0.bankWithKeys(id: bankId) }
        guard let (bank, _, certificates) = found, bank.status == .active else {
            throw IssuerRefusal.forbidden(reason: "The bank is disabled.")
        }
        try clientCertificate.require(oneOf: certificates)
        return Caller(bank: bank, keyId: key.keyId, contentDigest: verified.contentDigest)
    }

    private func verify(
        _ message: SignedMessage, hasBody: Bool, _ policy: SignaturePolicy, _ now: Timestamp
    ) async throws -> (IssuerKeyRecord, VerifiedSignature) {
        do {
            let fields = try SignatureFields(message)
            let named = try await store.reaching { try await $0.issuerKeys(keyIds: fields.keyIDs) }
            let active = named.filter { $0.status == .active }
            if active.isEmpty, let key = named.first {
                throw IssuerRefusal.unauthenticated(reason: "The key \(key.keyId) is disabled.", signatureBase: nil)
            }
            let signature = try fields.only(ofKeys: active.map(\.keyId))
            guard let key = active.first(where: { $0.keyId == signature.parameters.keyID }) else {
                throw IssuerRefusal.unauthenticated(reason: "The key is not known.", signatureBase: nil)
            }
            let verified = try policy.verify(
                signature, of: message, hasBody: hasBody, with: try verificationKey(key), now: now.seconds)
            return (key, verified)
        } catch let error as SignatureError {
            throw IssuerRefusal.unauthenticated(reason: error.description, signatureBase: error.signatureBase)
        }
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

/// What a caller showed when it connected.
public enum ClientCertificate: Sendable {
    /// The server asks for none.
    case notAsked
    /// The server asks for one, and none was shown.
    case missing
    /// DER of the certificate; TLS has validated it.
    case shown([UInt8])

    fileprivate func require(oneOf certificates: [CertificateRecord]) throws(IssuerRefusal) {
        switch self {
        case .notAsked: return
        case .missing: throw .forbidden(reason: "The connection shows no client certificate.")
        case .shown(let der):
            let fingerprint = SHA256.hash(der)
            let isBanks = certificates.contains {
                $0.purpose == .client && $0.status == .active && $0.fingerprint == fingerprint
            }
            guard isBanks else { throw .forbidden(reason: "The client certificate is not one of the bank's.") }
        }
    }
}

extension SealedPlace {
    static func issuerSecret(_ keyId: String) -> SealedPlace {
        SealedPlace("issuer_key.sealed_secret", row: keyId)
    }
}
