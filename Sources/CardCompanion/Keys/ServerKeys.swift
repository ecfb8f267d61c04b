public import CardCompanionStore
internal import Cryptography
internal import HTTPSignatures
public import JOSE
public import KeyVault
public import SecureMemory
internal import Synchronization

/// The server's own key pairs: what banks and apps seal to, and what the server signs with.
///
/// They may be rotated while servers run: each looks again from time to time, and for a single key at once when a value
/// names one that it does not know.
public final class ServerKeys: Sendable {
    /// The size of a new RSA key.
    public static let rsaKeyBits = 3072

    private enum PrivateKey: Sendable {
        case rsa(RSAPrivateKey)
        case ec(P256PrivateKey)
        case signing(P256PrivateKey)

        /// As the key set shows it.
        func published(as keyId: String) -> JWK {
            switch self {
            case .rsa(let key): JWK(.rsa(key.publicKey), keyID: keyId)
            case .ec(let key): JWK(.ec(key.publicKey), keyID: keyId)
            case .signing(let key): JWK(.ec(key.publicKey), use: .signature, algorithm: "ES256", keyID: keyId)
            }
        }
    }

    /// What the server signs with.
    struct Signer: Sendable {
        let keyId: String
        let key: SigningKey
    }

    private struct Keys: Sendable {
        var signer: Signer?
        var byId: [String: PrivateKey] = [:]
        var published = JWKSet(keys: [])
    }

    private let store: Store
    private let keyring: Keyring
    private let keys = Mutex(Keys())

    private init(store: Store, keyring: Keyring) {
        self.store = store
        self.keyring = keyring
    }

    /// Opens the server's keys; the first server of a database makes them.
    ///
    /// - Throws: `KeyVaultError`, ``ServiceUnavailable``.
    public static func opened(with keyring: Keyring, in store: Store, clock: WallClock) async throws -> ServerKeys {
        let records = try await store.reaching { try await $0.serverKeys() }
        for kind in ServerKeyKind.allCases where !records.contains(where: { $0.kind == kind && $0.status == .active }) {
            let (keyId, sealedKey) = try make(kind, keyring)
            try await store.reaching {
                try await $0.insertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
            }
        }
        let keys = ServerKeys(store: store, keyring: keyring)
        try await keys.reload()
        return keys
    }

    /// Makes a new key of a kind, which new values are to be sealed to from now on. The one before it is still
    /// published, behind the new one, and still opens, until it is retired.
    ///
    /// - Returns: the new key's name; nil where another rotation was faster, and its key is the active one.
    public static func rotate(
        _ kind: ServerKeyKind, with keyring: Keyring, in store: Store, clock: WallClock
    ) async throws -> String? {
        let (keyId, sealedKey) = try make(kind, keyring)
        let isActive = try await store.reaching {
            try await $0.rotateServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
        }
        return isActive ? keyId : nil
    }

    /// The public keys, as `/.well-known/jwks.json` shows them: of each kind the active one first.
    public var published: JWKSet { keys.withLock(\.published) }

    /// The active signing key.
    var signer: Signer? { keys.withLock(\.signer) }

    /// Looks again which keys there are.
    public func reload() async throws {
        let records = try await store.reaching { try await $0.serverKeys() }
        let loaded = try Self.open(records, keyring)
        keys.withLock { $0 = loaded }
    }

    /// Whether a value is sealed to one of the keys, and under that key's algorithm.
    func knows(_ jwe: JWE) async throws -> Bool {
        try await key(for: jwe) != nil
    }

    /// Opens what was sealed to one of the keys.
    ///
    /// - Throws: `JOSEError`; ``UnknownServerKey`` where `kid` names none of them, or one of the other kind.
    public func open(_ jwe: JWE) async throws -> SecretBytes {
        switch try await key(for: jwe) {
        case .rsa(let key): return try jwe.open(with: key)
        case .ec(let key): return try jwe.open(with: key)
        case .signing, nil: throw UnknownServerKey()
        }
    }

    private func key(for jwe: JWE) async throws -> PrivateKey? {
        guard let keyId = jwe.header.keyID, Identifier.isValid(keyId), let key = try await key(keyId) else {
            return nil
        }
        switch (key, jwe.header.algorithm) {
        case (.rsa, .rsaOAEP256), (.ec, .ecdhESA256KW): return key
        default: return nil
        }
    }

    /// The key of that name. One that is not known here may be new: the store is asked for just that one.
    private func key(_ keyId: String) async throws -> PrivateKey? {
        if let key = keys.withLock({ $0.byId[keyId] }) { return key }
        guard let record = try await store.reaching({ try await $0.serverKey(keyId: keyId) }),
            let key = try Self.open(record, keyring)
        else { return nil }
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

    /// Nil where the key is retired.
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

/// A sealed value's `kid` names no key of the server that fits.
public struct UnknownServerKey: Error, CustomStringConvertible {
    /// For whoever sealed it.
    public var description: String { "its kid names no key of /.well-known/jwks.json that fits its alg" }
}

extension SealedPlace {
    fileprivate static func serverKey(_ keyId: String) -> SealedPlace {
        SealedPlace("server_key.sealed_key", row: keyId)
    }
}
