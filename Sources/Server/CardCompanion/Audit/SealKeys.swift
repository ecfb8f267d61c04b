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
    private let ofToken = Mutex<Signer?>(nil)
    private let failed = Mutex<(error: KeyVaultError, until: ContinuousClock.Instant)?>(nil)

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
        if let known = ofToken.withLock(\.self) { return known }
        // A token that cannot make the key is not asked every ten seconds, because each failure ends its connection.
        if let failure = failed.withLock(\.self), ContinuousClock.now < failure.until { throw failure.error }
        let made: (any SealKey)?
        do {
            made = try await vault.sealKey()
        } catch {
            failed.withLock { $0 = (error, .now + Self.pauseAfterFailure) }
            throw error
        }
        guard let key = made else { return ofServer }
        let keyId = JWK.thumbprint(of: .ec(key.publicKey))
        // The public half is stored before the first seal, so that each seal can be verified without the token.
        if try await !store.sealKeys().contains(where: { $0.keyId == keyId }) {
            let sealed = try keyring.seal(key.publicKey.subjectPublicKeyInfo, in: .sealKey(keyId))
            try await store.insertSealKey(SealKeyRecord(keyId: keyId, sealedPublicKey: sealed), now: clock.now())
        }
        let verifier = Verifier(key: .ecdsaP256SHA256(key.publicKey), holder: .token)
        let signer = Signer(keyId: keyId, verifier: verifier) { try await key.sign(Array($0.utf8)) }
        ofToken.withLock { $0 = signer }
        return signer
    }

    /// Makes the next seal look for the token's key again, after the key could not sign.
    func forgetSigner() {
        ofToken.withLock { $0 = nil }
    }

    private var ofServer: Signer? {
        serverKeys.signer.map { signer in
            let verifier = Verifier(key: signer.key.verificationKey, holder: .server)
            return Signer(keyId: signer.keyId, verifier: verifier) { try signer.key.sign($0) }
        }
    }

    /// The keys that verify seals, by name: those of tokens, and the server's signing keys that are not erased.
    ///
    /// - Throws: `KeyVaultError`, `StoreError`.
    package func verifiers() async throws -> [String: Verifier] {
        var verifiers: [String: Verifier] = [:]
        for (keyId, key) in try await serverKeys.sealKeys() {
            verifiers[keyId] = Verifier(key: key, holder: .server)
        }
        for record in try await store.sealKeys() {
            // A forged key is left out.
            guard let der = try? keyring.open(record.sealedPublicKey, in: .sealKey(record.keyId)),
                let key = try? VerificationKey(.ecdsaP256SHA256, subjectPublicKeyInfo: der)
            else { continue }
            verifiers[record.keyId] = Verifier(key: key, holder: .recorded)
        }
        for key in try await vault.sealPublicKeys() {
            verifiers[JWK.thumbprint(of: .ec(key))] = Verifier(key: .ecdsaP256SHA256(key), holder: .token)
        }
        return verifiers
    }
}
