package import CardCompanionStore
internal import Cryptography
package import HTTPSignatures
internal import JOSE
package import KeyVault
internal import Synchronization

/// The keys that sign seals of the audit trail: a key that never leaves the vault's token. If the vault is a file, the server's
/// signing key signs.
package final class SealKeys: Sendable {
    /// What signs the next seal.
    struct Signer: Sendable {
        let keyId: String
        let verifier: Verifier
        let sign: @Sendable (_ text: String) async throws -> [UInt8]
    }

    /// A key that verifies seals.
    package struct Verifier: Sendable {
        package let key: VerificationKey
        /// Whether its private half is on a token. The others are in the memory of servers.
        package let isOnToken: Bool

        package init(key: VerificationKey, isOnToken: Bool) {
            self.key = key
            self.isOnToken = isOnToken
        }
    }

    private let store: Store
    private let serverKeys: ServerKeys
    private let keyring: Keyring
    private let vault: any Vault
    private let clock: WallClock
    private let ofToken = Mutex<Signer?>(nil)

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
        guard let key = try await vault.sealKey() else { return ofServer }
        let keyId = JWK.thumbprint(of: .ec(key.publicKey))
        // The public half is stored before the first seal, so that each seal can be verified without the token.
        if try await !store.sealKeys().contains(where: { $0.keyId == keyId }) {
            let sealed = try keyring.seal(key.publicKey.subjectPublicKeyInfo, in: .sealKey(keyId))
            try await store.insertSealKey(SealKeyRecord(keyId: keyId, sealedPublicKey: sealed), now: clock.now())
        }
        let verifier = Verifier(key: .ecdsaP256SHA256(key.publicKey), isOnToken: true)
        let signer = Signer(keyId: keyId, verifier: verifier) { try await key.sign(Array($0.utf8)) }
        ofToken.withLock { $0 = signer }
        return signer
    }

    /// Looks for the token's key anew at the next seal, after it could not sign.
    func forgetSigner() {
        ofToken.withLock { $0 = nil }
    }

    private var ofServer: Signer? {
        serverKeys.signer.map { signer in
            let verifier = Verifier(key: signer.key.verificationKey, isOnToken: false)
            return Signer(keyId: signer.keyId, verifier: verifier) { try signer.key.sign($0) }
        }
    }

    /// The keys that verify seals, by name: those of tokens, and the server's signing keys that are not erased.
    ///
    /// - Throws: `KeyVaultError` if one of them was forged, `StoreError`.
    package func verifiers() async throws -> [String: Verifier] {
        var verifiers: [String: Verifier] = [:]
        for (keyId, key) in try await serverKeys.sealKeys() {
            verifiers[keyId] = Verifier(key: key, isOnToken: false)
        }
        for record in try await store.sealKeys() {
            let der = try keyring.open(record.sealedPublicKey, in: .sealKey(record.keyId))
            let key = try VerificationKey(.ecdsaP256SHA256, subjectPublicKeyInfo: der)
            verifiers[record.keyId] = Verifier(key: key, isOnToken: true)
        }
        // Also if somebody has removed it from the database.
        if let own = ofToken.withLock(\.self) { verifiers[own.keyId] = own.verifier }
        return verifiers
    }
}
