package import CardCompanionStore
internal import Cryptography
package import HTTPSignatures
package import JOSE
package import KeyVault
package import SecureMemory
internal import Synchronization

/// The server's own key pairs. Banks and apps seal to them, and the server signs with one of them.
///
/// They can be rotated while servers run. Each server reloads them from time to time, and queries the store when a value
/// names a key that it does not know.
package final class ServerKeys: Sendable {
    package static let rsaKeyBits = 3072

    private enum PrivateKey: Sendable {
        case rsa(RSAPrivateKey)
        case ec(P256PrivateKey)
        case signing(P256PrivateKey)

        /// The key as in the key set.
        func published(as keyId: String) -> JWK {
            switch self {
            case .rsa(let key): JWK(.rsa(key.publicKey), keyID: keyId)
            case .ec(let key): JWK(.ec(key.publicKey), keyID: keyId)
            case .signing(let key): JWK(.ec(key.publicKey), use: .signature, algorithm: "ES256", keyID: keyId)
            }
        }
    }

    package struct Signer: Sendable {
        private static let nonceByteCount = 18

        package let keyId: String
        package let key: SigningKey

        /// The fields that sign a message of the server (RFC 9421): `Signature-Input` and `Signature`.
        ///
        /// - Throws: `SignatureError`.
        package func signedFields(
            of message: SignedMessage, covering components: [Component], at now: Timestamp
        ) throws(SignatureError) -> [(name: String, value: String)] {
            let nonce = Base64URL.encode(SecureRandom.bytes(count: Self.nonceByteCount))
            let parameters = try SignatureParameters(
                components: components, created: now.seconds, nonce: nonce, keyID: keyId)
            let signature = try key.sign(message, parameters: parameters)
            return [("Signature-Input", signature.signatureInput), ("Signature", signature.signature)]
        }
    }

    private struct Keys: Sendable {
        var signer: Signer?
        var byId: [String: PrivateKey] = [:]
        /// The names of retired keys that values were sealed to.
        var retired: Set<String> = []
        var published = JWKSet(keys: [])
    }

    private let store: Store
    private let keyring: Keyring
    private let keys = Mutex(Keys())
    private let unknown = LookUpLimit()

    private init(store: Store, keyring: Keyring) {
        self.store = store
        self.keyring = keyring
    }

    /// Opens the server's keys. The first server of a database creates them.
    ///
    /// - Throws: `KeyVaultError`, `StoreError`.
    package static func opened(with keyring: Keyring, in store: Store, clock: WallClock) async throws -> ServerKeys {
        let records = try await store.serverKeys()
        for kind in ServerKeyKind.allCases where !records.contains(where: { $0.kind == kind && $0.status == .active }) {
            let (keyId, sealedKey) = try make(kind, keyring)
            try await store.insertServerKey(
                keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
        }
        let keys = ServerKeys(store: store, keyring: keyring)
        try await keys.reload()
        return keys
    }

    /// Creates a new key of a kind. New values must be sealed to it. The previous key is still published, after the new
    /// one, and still opens values, until it is retired.
    ///
    /// - Returns: the new key's name; nil if another rotation was faster.
    package static func rotate(
        _ kind: ServerKeyKind, with keyring: Keyring, in store: Store, clock: WallClock
    ) async throws -> String? {
        let (keyId, sealedKey) = try make(kind, keyring)
        let isActive = try await store.rotateServerKey(
            keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
        return isActive ? keyId : nil
    }

    /// The public keys as in `/.well-known/jwks.json`: of each kind the active one first.
    package var published: JWKSet { keys.withLock(\.published) }

    /// The active signing key.
    package var signer: Signer? { keys.withLock(\.signer) }

    package func reload() async throws {
        let records = try await store.serverKeys()
        let loaded = try Self.open(records, keyring)
        keys.withLock { $0 = loaded }
    }

    /// Whether a value is sealed to one of the keys, and under that key's algorithm.
    ///
    /// - Parameter isFromBank: whether it comes from an authenticated back-end. Then its key is looked up without limit.
    func knows(_ jwe: JWE, isFromBank: Bool = false) async throws -> Bool {
        try await key(for: jwe, isFromBank: isFromBank) != nil
    }

    /// Opens what was sealed to one of the keys.
    ///
    /// - Throws: `JOSEError`; ``UnknownServerKey`` if `kid` does not name one of them for this algorithm.
    package func open(_ jwe: JWE, isFromBank: Bool = false) async throws -> SecretBytes {
        switch try await key(for: jwe, isFromBank: isFromBank) {
        case .rsa(let key): return try jwe.open(with: key)
        case .ec(let key): return try jwe.open(with: key)
        case .signing, nil: throw UnknownServerKey()
        }
    }

    private func key(for jwe: JWE, isFromBank: Bool) async throws -> PrivateKey? {
        guard let keyId = jwe.header.keyID, Identifier(keyId) != nil,
            let key = try await key(keyId, isFromBank: isFromBank)
        else { return nil }
        switch (key, jwe.header.algorithm) {
        case (.rsa, .rsaOAEP256), (.ec, .ecdhESA256KW): return key
        default: return nil
        }
    }

    /// An unknown key can be new, so the store is queried for it; for strangers not without limit.
    ///
    /// - Throws: ``ServiceUnavailable`` if strangers have named too many unknown keys.
    private func key(_ keyId: String, isFromBank: Bool) async throws -> PrivateKey? {
        let (known, isRetired) = keys.withLock { ($0.byId[keyId], $0.retired.contains(keyId)) }
        if let known { return known }
        guard !isRetired else { return nil }
        let record =
            isFromBank
            ? try await store.serverKey(keyId: keyId)
            : try await unknown.find("keys") { try await store.serverKey(keyId: keyId) }
        guard let record else { return nil }
        guard let key = try Self.open(record, keyring) else {
            keys.withLock { _ = $0.retired.insert(keyId) }
            return nil
        }
        keys.withLock { $0.byId[keyId] = key }
        return key
    }

    private static func open(_ records: [ServerKeyRecord], _ keyring: Keyring) throws -> Keys {
        var keys = Keys()
        var published: [JWK] = []
        for record in records {
            guard let key = try open(record, keyring) else { continue }
            keys.byId[record.keyId] = key
            published.append(key.published(as: record.keyId))
            if case .signing(let key) = key, record.status == .active {
                keys.signer = Signer(keyId: record.keyId, key: .ecdsaP256SHA256(key))
            }
        }
        keys.published = JWKSet(keys: published)
        return keys
    }

    /// Nil if the key is retired.
    private static func open(_ record: ServerKeyRecord, _ keyring: Keyring) throws -> PrivateKey? {
        guard let sealedKey = record.sealedKey else { return nil }
        let pkcs8 = try keyring.open(sealedKey, in: .serverKey(record.keyId))
        switch record.kind {
        case .rsa: return .rsa(try RSAPrivateKey(pkcs8: pkcs8))
        case .ec: return .ec(try P256PrivateKey(pkcs8: pkcs8))
        case .signing: return .signing(try P256PrivateKey(pkcs8: pkcs8))
        }
    }

    private static func make(_ kind: ServerKeyKind, _ keyring: Keyring) throws -> (keyId: String, sealed: [UInt8]) {
        switch kind {
        case .rsa:
            let key = try RSAPrivateKey.generate(bits: rsaKeyBits)
            let keyId = JWK.thumbprint(of: .rsa(key.publicKey))
            return (keyId, try keyring.seal(try key.pkcs8(), in: .serverKey(keyId)))
        case .ec, .signing:
            let key = try P256PrivateKey.generate()
            let keyId = JWK.thumbprint(of: .ec(key.publicKey))
            return (keyId, try keyring.seal(try key.pkcs8(), in: .serverKey(keyId)))
        }
    }
}

/// A sealed value's `kid` does not name a key of the server for its algorithm.
package struct UnknownServerKey: Error, CustomStringConvertible {
    package var description: String { "kid must name a key of /.well-known/jwks.json for this alg" }
}
