public import CardCompanionStore
internal import Cryptography
public import JOSE
public import KeyVault
public import SecureMemory
internal import Synchronization

/// The server's own key pairs: what banks and apps seal to.
///
/// They may be rotated while servers run: each looks again from time to time, and at once when a value names a key that
/// it does not know.
public final class ServerKeys: Sendable {
    /// The size of a new RSA key.
    public static let rsaKeyBits = 3072
    /// How often unknown names may make a server look again.
    static let reloadPause = Duration.seconds(1)

    private enum PrivateKey: Sendable {
        case rsa(RSAPrivateKey)
        case ec(P256PrivateKey)
    }

    private struct Keys: Sendable {
        var byId: [String: PrivateKey] = [:]
        var published = JWKSet(keys: [])
        var loadedAt = ContinuousClock.now
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
    /// - Returns: the new key's name.
    public static func rotate(
        _ kind: ServerKeyKind, with keyring: Keyring, in store: Store, clock: WallClock
    ) async throws -> String {
        let (keyId, sealedKey) = try make(kind, keyring)
        try await store.reaching {
            try await $0.rotateServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
        }
        return keyId
    }

    /// The public keys, as `/.well-known/jwks.json` shows them: of each kind the active one first.
    public var published: JWKSet { keys.withLock(\.published) }

    /// Looks again which keys there are.
    public func reload() async throws {
        let records = try await store.reaching { try await $0.serverKeys() }
        let loaded = try Self.open(records, keyring)
        keys.withLock { $0 = loaded }
    }

    /// Whether a value is sealed to one of the keys, and under that key's algorithm.
    func knows(_ jwe: JWE) async throws -> Bool {
        if key(for: jwe) != nil { return true }
        let mayReload = keys.withLock { keys in
            guard ContinuousClock.now - keys.loadedAt >= Self.reloadPause else { return false }
            keys.loadedAt = .now
            return true
        }
        guard mayReload else { return false }
        try await reload()
        return key(for: jwe) != nil
    }

    /// Opens what was sealed to one of the keys.
    ///
    /// - Throws: `JOSEError`; ``UnknownServerKey`` where `kid` names none of them, or one of the other kind.
    public func open(_ jwe: JWE) async throws -> SecretBytes {
        guard try await knows(jwe), let key = key(for: jwe) else { throw UnknownServerKey() }
        switch key {
        case .rsa(let key): return try jwe.open(with: key)
        case .ec(let key): return try jwe.open(with: key)
        }
    }

    private func key(for jwe: JWE) -> PrivateKey? {
        guard let keyId = jwe.header.keyID, let key = keys.withLock({ $0.byId[keyId] }) else { return nil }
        switch (key, jwe.header.algorithm) {
        case (.rsa, .rsaOAEP256), (.ec, .ecdhESA256KW): return key
        default: return nil
        }
    }

    private static func open(_ records: [ServerKeyRecord], _ keyring: Keyring) throws -> Keys {
        var keys = Keys()
        var published: [JWK] = []
        for record in records {
            guard let sealedKey = record.sealedKey else { continue }
            let pkcs8 = try keyring.open(sealedKey, in: .serverKey(record.keyId))
            switch record.kind {
            case .rsa:
                let key = try RSAPrivateKey(pkcs8: pkcs8)
                keys.byId[record.keyId] = .rsa(key)
                published.append(JWK(.rsa(key.publicKey), keyID: record.keyId))
            case .ec:
                let key = try P256PrivateKey(pkcs8: pkcs8)
                keys.byId[record.keyId] = .ec(key)
                published.append(JWK(.ec(key.publicKey), keyID: record.keyId))
            }
        }
        keys.published = JWKSet(keys: published)
        return keys
    }

    private static func make(_ kind: ServerKeyKind, _ keyring: Keyring) throws -> (keyId: String, sealed: [UInt8]) {
        switch kind {
        case .rsa:
            let key = try RSAPrivateKey.generate(bits: rsaKeyBits)
            let keyId = JWK.thumbprint(of: .rsa(key.publicKey))
            return (keyId, try keyring.seal(try key.pkcs8(), in: .serverKey(keyId)))
        case .ec:
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
