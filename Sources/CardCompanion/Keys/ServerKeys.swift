public import CardCompanionStore
internal import Cryptography
public import JOSE
public import KeyVault
public import SecureMemory

/// The server's own key pairs: what banks and apps seal to.
public struct ServerKeys: Sendable {
    /// The size of a new RSA key.
    public static let rsaKeyBits = 3072

    private enum PrivateKey: Sendable {
        case rsa(RSAPrivateKey)
        case ec(P256PrivateKey)
    }

    private let keys: [String: PrivateKey]

    /// The public keys, as `/.well-known/jwks.json` shows them.
    public let published: JWKSet

    /// Opens the server's keys; the first server of a database makes them.
    ///
    /// - Throws: `KeyVaultError`, ``ServiceUnavailable``.
    public static func opened(with keyring: Keyring, in store: Store, clock: WallClock) async throws -> ServerKeys {
        var records = try await store.reaching { try await $0.serverKeys() }
        for kind in ServerKeyKind.allCases where !records.contains(where: { $0.kind == kind }) {
            let (keyId, sealedKey) = try make(kind, keyring)
            try await store.reaching {
                try await $0.insertServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, now: clock.now())
            }
            records = try await store.reaching { try await $0.serverKeys() }
        }
        return try ServerKeys(records, keyring)
    }

    /// Opens what was sealed to one of the keys.
    ///
    /// - Throws: `JOSEError`; ``UnknownServerKey`` where `kid` names none of them, or one of the other kind.
    public func open(_ jwe: JWE) throws -> SecretBytes {
        guard let keyId = jwe.header.keyID, let key = keys[keyId] else { throw UnknownServerKey() }
        switch (key, jwe.header.algorithm) {
        case (.rsa(let key), .rsaOAEP256): return try jwe.open(with: key)
        case (.ec(let key), .ecdhESA256KW): return try jwe.open(with: key)
        default: throw UnknownServerKey()
        }
    }

    private init(_ records: [ServerKeyRecord], _ keyring: Keyring) throws {
        var keys: [String: PrivateKey] = [:]
        var published: [JWK] = []
        for record in records {
            let pkcs8 = try keyring.open(record.sealedKey, in: .serverKey(record.keyId))
            switch record.kind {
            case .rsa:
                let key = try RSAPrivateKey(pkcs8: pkcs8)
                keys[record.keyId] = .rsa(key)
                published.append(JWK(.rsa(key.publicKey), keyID: record.keyId))
            case .ec:
                let key = try P256PrivateKey(pkcs8: pkcs8)
                keys[record.keyId] = .ec(key)
                published.append(JWK(.ec(key.publicKey), keyID: record.keyId))
            }
        }
        self.keys = keys
        self.published = JWKSet(keys: published)
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
