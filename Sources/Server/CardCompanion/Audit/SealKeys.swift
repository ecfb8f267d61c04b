internal import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import HTTPSignatures
internal import JOSE
package import KeyVault
internal import Synchronization

/// The keys that sign the audit trail's seals: a key that never leaves the vault's token or, if the vault is a file, the
/// server's signing key.
package final class SealKeys: Sendable {
    /// What signs the next seal.
    struct Signer: Sendable {
        let keyId: String
        let verifier: Verifier
        let sign: @Sendable (_ text: String) async throws -> [UInt8]
    }

    /// Where the private half of a key is.
    package enum Holder: String, Sendable, Comparable {
        /// In the memory of servers.
        case server
        /// On another token, according to the database. Anyone who can read a server's memory can write that there.
        case recorded
        /// On the token of this vault, which says so itself.
        case token

        package static func < (one: Holder, other: Holder) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .server: 0
            case .recorded: 1
            case .token: 2
            }
        }
    }

    /// A key that verifies seals.
    package struct Verifier: Sendable {
        package let key: VerificationKey
        package let holder: Holder

        package init(key: VerificationKey, holder: Holder) {
            self.key = key
            self.holder = holder
        }
    }

    private let store: Store
    private let serverKeys: ServerKeys
    private let keyring: Keyring
    private let vault: any Vault
    private let clock: WallClock
    private let token = Mutex(TokenState())

    private struct TokenState {
        /// Nil before the first seal, and after a failure of the token.
        var signer: Signer?
        /// Whether it had a key. Then it is asked for that key, and makes no other one.
        var hadKey = false
        var failure: (error: KeyVaultError, until: ContinuousClock.Instant)?
    }

    private static let pauseAfterFailure = Duration.seconds(60)

    package init(store: Store, serverKeys: ServerKeys, keyring: Keyring, vault: any Vault, clock: WallClock) {
        self.store = store
        self.serverKeys = serverKeys
        self.keyring = keyring
        self.vault = vault
        self.clock = clock
    }

    /// The key that signs now; nil if the server has no keys.
    ///
    /// - Throws: `KeyVaultError`, `StoreError`.
    func signer() async throws -> Signer? {
        if let known = token.withLock(\.signer) { return known }
        guard let key = try await keyOfToken() else { return ofServer }
        let keyId = JWK.thumbprint(of: .ec(key.publicKey))
        // The public half is stored before the first seal, so that each seal can be verified without the token.
        if try await !store.sealKeys().contains(where: { $0.keyId == keyId }) {
            let sealed = try keyring.seal(key.publicKey.subjectPublicKeyInfo, in: .sealKey(keyId))
            try await store.insertSealKey(SealKeyRecord(keyId: keyId, sealedPublicKey: sealed), now: clock.now())
        }
        let verifier = Verifier(key: .ecdsaP256SHA256(key.publicKey), holder: .token)
        let signer = Signer(keyId: keyId, verifier: verifier) { try await key.sign(Array($0.utf8)) }
        token.withLock { $0 = TokenState(signer: signer, hadKey: true) }
        return signer
    }

    /// The token's key, which it makes when it is first needed; nil if the vault is a file.
    private func keyOfToken() async throws(KeyVaultError) -> (any SealKey)? {
        if let key = try await vault.sealKeys().first { return key }
        let (hadKey, failure) = token.withLock { ($0.hadKey, $0.failure) }
        guard !hadKey else { throw .vaultUnavailable("the token no longer has the key that signs seals") }
        // A token that cannot make the key is not asked every ten seconds, because each failure ends its connection.
        if let failure, ContinuousClock.now < failure.until { throw failure.error }
        do {
            return try await vault.makeSealKey()
        } catch {
            token.withLock { $0.failure = (error, .now + Self.pauseAfterFailure) }
            throw error
        }
    }

    /// Makes the next seal look for the token's key again, after the key could not sign.
    func forgetSigner() {
        token.withLock { $0.signer = nil }
    }

    private var ofServer: Signer? {
        serverKeys.signer.map { signer in
            let verifier = Verifier(key: signer.key.verificationKey, holder: .server)
            return Signer(keyId: signer.keyId, verifier: verifier) { try signer.key.sign($0) }
        }
    }

    /// The keys that verify seals, by name: those of tokens, and the server's signing keys. A row of the database that was damaged
    /// or forged is left out.
    ///
    /// - Throws: `KeyVaultError`, `StoreError`.
    package func verifiers() async throws -> [String: Verifier] {
        var verifiers: [String: Verifier] = [:]
        for (keyId, key) in try await serverKeys.sealKeys() {
            verifiers[keyId] = Verifier(key: key, holder: .server)
        }
        for record in try await store.sealKeys() {
            guard let der = try keyring.openIfWhole(record.sealedPublicKey, in: .sealKey(record.keyId)),
                let key = try? VerificationKey(.ecdsaP256SHA256, subjectPublicKeyInfo: der)
            else { continue }
            verifiers[record.keyId] = Verifier(key: key, holder: .recorded)
        }
        for key in try await vault.sealKeys().map(\.publicKey) {
            verifiers[JWK.thumbprint(of: .ec(key))] = Verifier(key: .ecdsaP256SHA256(key), holder: .token)
        }
        return verifiers
    }

    /// The rows of keys that do not open, for the operator: they were damaged, or forged.
    ///
    /// - Throws: as ``verifiers()``.
    package func damagedRows() async throws -> [String] {
        let serverKeys = try await serverKeys.damagedKeys()
        let sealKeys = try await store.sealKeys().filter { record in
            try keyring.openIfWhole(record.sealedPublicKey, in: .sealKey(record.keyId)) == nil
        }.map(\.keyId)
        return serverKeys.map { "server_key '\($0)'" } + sealKeys.map { "seal_key '\($0)'" }
    }
}
