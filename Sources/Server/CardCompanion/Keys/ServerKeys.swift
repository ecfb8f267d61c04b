package import CardCompanionModel
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

    /// How long after its retirement a key still opens what banks provision (protocol, section 3).
    package static let retiredLifetimeSeconds: Int64 = 90 * 86_400

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

    /// A key, and the value in the store that it was opened from.
    private struct OpenedKey: Sendable {
        let sealed: [UInt8]
        let key: PrivateKey
    }

    /// A key by its name.
    private enum Entry: Sendable {
        case published(OpenedKey)
        /// It opens only what banks provision.
        case retired(OpenedKey)
        case erased

        var opened: OpenedKey? {
            switch self {
            case .published(let opened), .retired(let opened): opened
            case .erased: nil
            }
        }

        func key(isFromBank: Bool) -> PrivateKey? {
            switch self {
            case .published(let opened): opened.key
            case .retired(let opened): isFromBank ? opened.key : nil
            case .erased: nil
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
        /// Advances when the keys are wiped: keys that were being opened meanwhile are not kept.
        var generation = 0
        var signer: Signer?
        var byId: [String: Entry] = [:]
        var published = JWKSet(keys: [])
    }

    private let store: Store
    private let keyring: Keyring
    private let inventory: InventoryKeeper
    private let clock: WallClock
    private let keys = Mutex(Keys())
    private let unknown: LookUpLimit

    /// It has no keys before ``prepare()``.
    ///
    /// - Parameter lookUps: the limit on look-ups of unknown keys.
    package init(
        store: Store, keyring: Keyring, inventory: InventoryKeeper, clock: WallClock,
        lookUps: TokenBucket.Rate = .usualLookUps
    ) {
        self.inventory = inventory
        unknown = LookUpLimit(lookUps)
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Opens the server's keys. The first server of a database creates them.
    ///
    /// - Throws: `KeyVaultError`, `StoreError`.
    package static func opened(with keyring: Keyring, of dataKeys: DataKeys) async throws -> ServerKeys {
        let keys = ServerKeys(
            store: dataKeys.store, keyring: keyring, inventory: dataKeys.inventory, clock: dataKeys.clock)
        try await keys.prepare()
        return keys
    }

    /// As ``opened(with:of:)``.
    package func prepare() async throws {
        let records = try await counted()
        for kind in ServerKeyKind.allCases where !records.contains(where: { $0.kind == kind && $0.status == .active }) {
            try await insert(try Self.make(kind, keyring))
        }
        try await reload()
    }

    /// The keys that count, with the status that counts.
    private func counted() async throws -> [ServerKeyRecord] {
        let records = try await store.serverKeys()
        guard keyring.isOpen, let present = try await inventory.present(keyring) else { return records }
        return present.counted(records)
    }

    /// Adds the first key of a kind. The inventory begins after the first keys of all.
    private func insert(_ key: NewServerKey) async throws {
        guard try await inventory.present(keyring) != nil else {
            return try await store.insertServerKey(key, now: clock.now())
        }
        var change = InventoryChange()
        change.set(key.keyId, Inventory.ServerKeyState(kind: key.kind, status: .active))
        try await inventory.changing(change, with: keyring) {
            try await store.insertServerKey(key, now: clock.now())
        }
    }

    /// Wipes the keys, when the vault is lost.
    package func forget() {
        keys.withLock { $0 = Keys(generation: $0.generation + 1) }
    }

    /// Creates a new key of a kind. New values must be sealed to it. The previous key is still published, after the new
    /// one, and still opens values, until it is retired.
    ///
    /// - Returns: the new key's name; nil if another rotation was faster.
    package static func rotate(
        _ kind: ServerKeyKind, with keyring: Keyring, of dataKeys: DataKeys
    ) async throws -> String? {
        let key = try make(kind, keyring)
        var change = InventoryChange()
        for old in try await dataKeys.store.serverKeys() where old.kind == kind && old.status == .active {
            change.set(old.keyId, Inventory.ServerKeyState(kind: kind, status: .retiring))
        }
        change.set(key.keyId, Inventory.ServerKeyState(kind: kind, status: .active))
        let isNew = try await dataKeys.inventory.changingIfPossible(change, with: keyring) {
            try await dataKeys.store.rotateServerKey(to: key, now: dataKeys.clock.now())
        }
        return isNew ? key.keyId : nil
    }

    /// Retires a key that was replaced.
    ///
    /// - Parameter erases: whether it is erased at once.
    /// - Returns: false if nothing has changed.
    package static func retire(
        _ record: ServerKeyRecord, erases: Bool, with keyring: Keyring, of dataKeys: DataKeys
    ) async throws -> Bool {
        let now = dataKeys.clock.now()
        var change = InventoryChange()
        change.set(
            record.keyId,
            Inventory.ServerKeyState(kind: record.kind, status: .retired, retiredAt: record.retiredAt ?? now))
        return try await dataKeys.inventory.changingIfPossible(change, with: keyring) {
            try await dataKeys.store.retireServerKey(keyId: record.keyId, erases: erases, now: now)
        }
    }

    /// The public keys as in `/.well-known/jwks.json`: of each kind the active one first.
    package var published: JWKSet { keys.withLock(\.published) }

    /// The active signing key.
    package var signer: Signer? { keys.withLock(\.signer) }

    package func reload() async throws {
        let (generation, known) = keys.withLock { ($0.generation, $0.byId) }
        var loaded = try open(try await usable(try await counted()), known)
        loaded.generation = generation
        keys.withLock { if $0.generation == generation { $0 = loaded } }
    }

    /// Whether a value is sealed to one of the keys, and under that key's algorithm.
    ///
    /// - Parameter isFromBank: whether it comes from an authenticated back-end. Then its key is looked up without limit.
    func knows(_ jwe: JWE, isFromBank: Bool = false) async throws -> Bool {
        try await key(for: jwe, isFromBank: isFromBank) != nil
    }

    /// Opens what was sealed to one of the keys.
    ///
    /// - Parameter isFromBank: as in ``knows(_:isFromBank:)``. A retired key opens only values of a back-end.
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

    /// An unknown key can be new, so the store is queried for it. For strangers, the number of these queries is limited.
    ///
    /// - Throws: ``RefusedCaller`` with ``ServiceUnavailable`` if strangers have named too many unknown keys.
    private func key(_ keyId: String, isFromBank: Bool) async throws -> PrivateKey? {
        let (known, generation) = keys.withLock { ($0.byId[keyId], $0.generation) }
        if let known { return known.key(isFromBank: isFromBank) }
        let record =
            isFromBank
            ? try await store.serverKey(keyId: keyId)
            : try await unknown.find("keys") { try await store.serverKey(keyId: keyId) }
        guard let record, let record = try await counted(record) else { return nil }
        let entry = try open(record)
        keys.withLock { if $0.generation == generation { $0.byId[keyId] = entry } }
        return entry.key(isFromBank: isFromBank)
    }

    private func counted(_ record: ServerKeyRecord) async throws -> ServerKeyRecord? {
        guard let present = try await inventory.present(keyring) else { return record }
        return present.counted([record]).first
    }

    /// The public halves of all signing keys, by name, also of those that were erased: they verify seals of the audit trail. It
    /// needs no ``prepare()``. A half that was damaged or forged is left out.
    ///
    /// - Throws: `StoreError`, `KeyVaultError.vaultClosed`.
    package func sealKeys() async throws -> [String: VerificationKey] {
        var found: [String: VerificationKey] = [:]
        for record in try await store.serverKeys() {
            guard let sealed = record.sealedPublicKey,
                let der = try keyring.openIfWhole(sealed, in: .serverPublicKey(record.keyId))
            else { continue }
            found[record.keyId] = try? VerificationKey(.ecdsaP256SHA256, subjectPublicKeyInfo: der)
        }
        return found
    }

    /// The names of keys with a value that does not open: it was damaged, or someone who can write to the database has made it.
    ///
    /// - Throws: as ``sealKeys()``.
    package func damagedKeys() async throws -> [String] {
        try await store.serverKeys().filter { record in
            try isDamaged(record.sealedKey, in: .serverKey(record.keyId))
                || isDamaged(record.sealedPublicKey, in: .serverPublicKey(record.keyId))
        }.map(\.keyId)
    }

    private func isDamaged(_ sealed: [UInt8]?, in place: SealedPlace) throws(KeyVaultError) -> Bool {
        guard let sealed else { return false }
        return try keyring.openIfWhole(sealed, in: place) == nil
    }

    /// Seals keys again that are under a compromised data key, because the server cannot serve without them.
    private func usable(_ records: [ServerKeyRecord]) async throws -> [ServerKeyRecord] {
        func resealed(
            _ value: (ServerKeyRecord) -> [UInt8]?, _ place: (_ keyId: String) -> SealedPlace
        ) throws(KeyVaultError) -> [ResealedValue] {
            var values: [ResealedValue] = []
            for record in records {
                guard let sealed = value(record), keyring.isCompromised(sealed),
                    let anew = try keyring.sealedAnew(sealed, in: place(record.keyId))
                else { continue }
                values.append(ResealedValue(row: KeyedRow(bankId: "", rowId: record.keyId), old: sealed, new: anew))
            }
            return values
        }
        let keys = try resealed(\.sealedKey, SealedPlace.serverKey)
        let halves = try resealed(\.sealedPublicKey, SealedPlace.serverPublicKey)
        guard !keys.isEmpty || !halves.isEmpty else { return records }
        try await store.replace(keys, in: .serverKey)
        try await store.replace(halves, in: .serverPublicKey)
        return try await counted()
    }

    /// - Parameter known: the keys until now.
    private func open(_ records: [ServerKeyRecord], _ known: [String: Entry]) throws -> Keys {
        var keys = Keys()
        var published: [JWK] = []
        for record in records {
            let entry = try open(record, known: known[record.keyId]?.opened)
            keys.byId[record.keyId] = entry
            guard case .published(let opened) = entry else { continue }
            published.append(opened.key.published(as: record.keyId))
            if case .signing(let key) = opened.key, record.status == .active {
                keys.signer = Signer(keyId: record.keyId, key: .ecdsaP256SHA256(key))
            }
        }
        keys.published = JWKSet(keys: published)
        return keys
    }

    private func open(_ record: ServerKeyRecord, known: OpenedKey? = nil) throws -> Entry {
        guard let sealed = record.sealedKey else { return .erased }
        if let retiredAt = record.retiredAt, retiredAt.advanced(bySeconds: Self.retiredLifetimeSeconds) <= clock.now() {
            return .erased
        }
        let opened = try known.flatMap { $0.sealed == sealed ? $0 : nil } ?? open(sealed, record)
        return record.retiredAt == nil ? .published(opened) : .retired(opened)
    }

    /// OpenSSL checks the primes of an RSA key, which takes a tenth of a second: so a key is opened once.
    private func open(_ sealed: [UInt8], _ record: ServerKeyRecord) throws -> OpenedKey {
        let pkcs8 = try keyring.open(sealed, in: .serverKey(record.keyId))
        return OpenedKey(sealed: sealed, key: try privateKey(record.kind, pkcs8: pkcs8))
    }

    private func privateKey(_ kind: ServerKeyKind, pkcs8: borrowing SecretBytes) throws -> PrivateKey {
        switch kind {
        case .rsa: .rsa(try RSAPrivateKey(pkcs8: pkcs8))
        case .ec: .ec(try P256PrivateKey(pkcs8: pkcs8))
        case .signing: .signing(try P256PrivateKey(pkcs8: pkcs8))
        }
    }

    /// A name that begins with a hyphen would look like an option when an operator types it. Then another key is made.
    package static func make(_ kind: ServerKeyKind, _ keyring: Keyring) throws -> NewServerKey {
        while true {
            let (publicKey, pkcs8) = try generate(kind)
            let keyId = JWK.thumbprint(of: publicKey)
            if keyId.hasPrefix("-") { continue }
            let sealedKey = try keyring.seal(pkcs8.bytes, in: .serverKey(keyId))
            var sealedHalf: [UInt8]?
            if kind == .signing, case .ec(let key) = publicKey {
                sealedHalf = try keyring.seal(key.subjectPublicKeyInfo, in: .serverPublicKey(keyId))
            }
            return NewServerKey(keyId: keyId, kind: kind, sealedKey: sealedKey, sealedPublicKey: sealedHalf)
        }
    }

    private static func generate(_ kind: ServerKeyKind) throws -> (JWK.PublicKey, SharedSecret) {
        switch kind {
        case .rsa:
            let key = try RSAPrivateKey.generate(bits: rsaKeyBits)
            return (.rsa(key.publicKey), SharedSecret(try key.pkcs8()))
        case .ec, .signing:
            let key = try P256PrivateKey.generate()
            return (.ec(key.publicKey), SharedSecret(try key.pkcs8()))
        }
    }
}

/// A sealed value's `kid` does not name a key of the server for its algorithm.
package struct UnknownServerKey: Error, CustomStringConvertible {
    package var description: String { "kid must name a key of /.well-known/jwks.json for this alg" }
}
