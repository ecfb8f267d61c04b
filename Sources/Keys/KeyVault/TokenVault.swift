internal import Cryptography
package import PKCS11
package import SecureMemory
internal import Synchronization

/// A vault whose master keys are on a PKCS#11 token. It logs in when a key is needed, and again after a failure of the token.
///
/// A PIN that the token has refused is forgotten, so it is never tried twice.
package final class TokenVault: Vault {
    /// Where the PIN comes from when the vault needs it.
    package typealias PINSource = @Sendable () throws(KeyVaultError) -> SharedSecret?

    private enum PIN: Sendable {
        case unread
        case known(SharedSecret)
        case missing
        case refused
    }

    package let kind = VaultKind.token
    package let name: String

    private static let keyIdByteCount = 16
    private static let keyLabel = "card-companion master key"
    private static let sealKeyLabel = "card-companion audit seals"

    private let token: Token
    private let source: PINSource
    private let isPersonPresent: Bool
    private let pin = Mutex(PIN.unread)

    /// - Parameters:
    ///   - isPersonPresent: whether `source` asks a person. Then a PIN is tried even if there was a wrong one before.
    ///   - source: gets the PIN when it is first needed; nil if it must come later, through ``logIn(_:acceptsLastTry:)``.
    package init(_ address: Token.Address, isPersonPresent: Bool, pin source: @escaping PINSource) {
        name = address.label
        token = Token(address)
        self.source = source
        self.isPersonPresent = isPersonPresent
    }

    /// Logs in with a PIN that a person gives, and keeps it for the next time that the token is lost.
    ///
    /// - Parameter acceptsLastTry: whether the PIN is tried even if the token locks it when it is wrong.
    /// - Throws: `vaultUnavailable`, `vaultNeedsPIN`.
    package func logIn(_ pin: SharedSecret, acceptsLastTry: Bool) async throws(KeyVaultError) {
        await token.close()
        try await logIn(pin, by: .person(acceptsLastTry: acceptsLastTry))
        self.pin.withLock { $0 = .known(pin) }
    }

    package func masterKey(_ id: String) async throws(KeyVaultError) -> (any MasterKey)? {
        guard let keyId = Hex.decode(id), keyId.count == Self.keyIdByteCount else { return nil }
        let isThere = try await connected { (token) throws(PKCS11Error) in try await token.hasKey(id: keyId) }
        return isThere ? TokenMasterKey(vault: self, keyId: keyId) : nil
    }

    package func requirePresence() async throws(KeyVaultError) {
        try await connect()
    }

    package func makeMasterKey() async throws(KeyVaultError) -> any MasterKey {
        let keyId = SecureRandom.bytes(count: Self.keyIdByteCount)
        try await connected { (token) throws(PKCS11Error) in try await token.makeKey(id: keyId, label: Self.keyLabel) }
        return TokenMasterKey(vault: self, keyId: keyId)
    }

    /// The label of the data objects of a kind.
    private static func label(_ kind: VaultRecordKind) -> String { "card-companion \(kind.rawValue)" }

    package func records(_ kind: VaultRecordKind) async throws(KeyVaultError) -> [[UInt8]] {
        try await connected { (token) throws(PKCS11Error) in
            try await token.data(
                label: Self.label(kind), byteLimit: VaultRecordLimit.byteCount, limit: VaultRecordLimit.count)
        }
    }

    package func keep(_ record: [UInt8], as kind: VaultRecordKind) async throws(KeyVaultError) {
        try await connected { (token) throws(PKCS11Error) in
            try await token.replaceData(record, label: Self.label(kind), limit: VaultRecordLimit.count)
        }
    }

    package func replace(
        _ kind: VaultRecordKind, _ decide: @Sendable ([[UInt8]]) -> [UInt8]?
    ) async throws(KeyVaultError) {
        if let record = decide(try await records(kind)) { try await keep(record, as: kind) }
    }

    package func sealKeys() async throws(KeyVaultError) -> [any SealKey] {
        let keys = try await connected { (token) throws(PKCS11Error) in
            try await token.signingKeys(.ecdsaP256, label: Self.sealKeyLabel)
        }
        return try keys.map { (key) throws(KeyVaultError) in try sealKey(key) }
    }

    package func makeSealKey() async throws(KeyVaultError) -> (any SealKey)? {
        let key = try await connected { (token) throws(PKCS11Error) in
            try await token.makeSigningKey(
                .ecdsaP256, id: SecureRandom.bytes(count: Self.keyIdByteCount), label: Self.sealKeyLabel)
        }
        return try sealKey(key)
    }

    private func sealKey(_ key: TokenSigningKey) throws(KeyVaultError) -> any SealKey {
        TokenSealKey(vault: self, keyId: key.id, publicKey: try Self.point(key))
    }

    private static func point(_ key: TokenSigningKey) throws(KeyVaultError) -> P256PublicKey {
        // An uncompressed point begins with 4 (SEC 1, section 2.3.3).
        let point = key.publicKey.dropFirst()
        let half = P256PublicKey.coordinateByteCount
        do {
            return try P256PublicKey(x: Array(point.prefix(half)), y: Array(point.suffix(half)))
        } catch {
            throw .vaultUnavailable("the key of the token that signs seals is not a point on P-256")
        }
    }

    package func close() async {
        await token.close()
    }

    /// Makes sure that the vault is logged in.
    private func connect() async throws(KeyVaultError) {
        try await logIn(try currentPIN(), by: isPersonPresent ? .person(acceptsLastTry: false) : .automatic)
    }

    private func currentPIN() throws(KeyVaultError) -> SharedSecret {
        try pin.withLock { (pin) throws(KeyVaultError) in
            if case .unread = pin { pin = try source().map { .known($0) } ?? .missing }
            switch pin {
            case .known(let secret): return secret
            case .missing, .unread: throw .vaultNeedsPIN("the server has no PIN for the token '\(name)'")
            case .refused: throw .vaultNeedsPIN("the token '\(name)' has refused the PIN")
            }
        }
    }

    private func logIn(_ secret: SharedSecret, by decision: Token.LogIn) async throws(KeyVaultError) {
        do {
            try await token.logIn(secret, by: decision)
        } catch {
            switch error {
            case .pinRefused:
                pin.withLock { $0 = .refused }
                throw .vaultNeedsPIN("\(error)")
            case .wrongPINBefore, .lastTry, .pinLocked: throw .vaultNeedsPIN("\(error)")
            default: throw .vaultUnavailable("\(error)")
            }
        }
    }

    /// Calls the token after a login.
    fileprivate func connected<Result>(
        _ call: (Token) async throws(PKCS11Error) -> Result
    ) async throws(KeyVaultError) -> Result {
        try await connect()
        do {
            return try await call(token)
        } catch {
            throw .vaultUnavailable("\(error)")
        }
    }
}

/// A master key on a token. Its id is its CKA_ID in hex.
private struct TokenMasterKey: MasterKey {
    let vault: TokenVault
    let keyId: [UInt8]

    var id: String { Hex.encode(keyId) }

    func wrap(_ dataKey: SharedSecret, as name: DataKeyName) async throws(KeyVaultError) -> [UInt8] {
        let iv = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        return try await vault.connected { (token) throws(PKCS11Error) in
            try await token.seal(dataKey, keyId: keyId, iv: iv, authenticating: name.bytes(under: id))
        }
    }

    func unwrap(_ wrapped: [UInt8], as name: DataKeyName) async throws(KeyVaultError) -> SharedSecret {
        let opened = try await vault.connected { (token) throws(PKCS11Error) -> SharedSecret? in
            do throws(PKCS11Error) {
                return try await token.open(wrapped, keyId: keyId, authenticating: name.bytes(under: id))
            } catch .damagedValue {
                return nil
            }
        }
        guard let opened else { throw .damagedDataKey(id: name.id) }
        return opened
    }
}

/// A key on a token that signs seals of the audit trail.
private struct TokenSealKey: SealKey {
    let vault: TokenVault
    let keyId: [UInt8]
    let publicKey: P256PublicKey

    func sign(_ message: [UInt8]) async throws(KeyVaultError) -> [UInt8] {
        try await vault.connected { (token) throws(PKCS11Error) in
            try await token.sign(SHA256.hash(message), .ecdsaP256, keyId: keyId)
        }
    }
}
