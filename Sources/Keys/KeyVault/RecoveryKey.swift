internal import Cryptography
package import SecureMemory

/// The public half of the recovery key. Each data key is sealed to it, so that the loss of the vault's master key does not
/// destroy everything. The private half is kept by custodians, in components (``RecoveryComponent``).
package struct RecoveryKey: Sendable {
    /// The first 16 bytes, in hex, of the SHA-256 of the public key.
    package let id: String
    /// X.509 SubjectPublicKeyInfo, DER.
    package var publicKey: [UInt8] { key.subjectPublicKeyInfo }

    fileprivate static let coordinateByteCount = P256PublicKey.coordinateByteCount
    private static let idByteCount = 16

    private let key: P256PublicKey

    /// - Parameter publicKey: SubjectPublicKeyInfo, DER.
    /// - Throws: `engineFailure` if it is not a key on P-256.
    package init(publicKey: [UInt8]) throws(KeyVaultError) {
        do {
            self.init(try P256PublicKey(subjectPublicKeyInfo: publicKey))
        } catch {
            throw .engineFailure
        }
    }

    fileprivate init(_ key: P256PublicKey) {
        self.key = key
        id = Hex.encode(Array(SHA256.hash(key.subjectPublicKeyInfo).prefix(Self.idByteCount)))
    }

    /// Makes a key.
    ///
    /// - Returns: the public half, and the private one (PKCS#8, DER) to be split into components.
    package static func generate() throws(KeyVaultError) -> (key: RecoveryKey, privateKey: SharedSecret) {
        do {
            let pair = try P256PrivateKey.generate()
            return (RecoveryKey(pair.publicKey), SharedSecret(try pair.pkcs8()))
        } catch {
            throw .engineFailure
        }
    }

    /// Seals a data key: ephemeral ECDH on P-256, Concat KDF with SHA-256, AES key wrap (as ECDH-ES+A256KW of RFC 7518).
    ///
    /// - Returns: the ephemeral public key (x and y, 64 bytes), the wrapped key (40 bytes).
    package func wrap(_ dataKey: SharedSecret, as name: DataKeyName) throws(KeyVaultError) -> [UInt8] {
        do {
            let ephemeral = try P256PrivateKey.generate()
            let wrappingKey = Self.wrappingKey(
                try ephemeral.sharedSecret(with: key), name.bytes(under: id), ephemeral.publicKey)
            return ephemeral.publicKey.x + ephemeral.publicKey.y
                + (try AESKeyWrap.wrap(dataKey.bytes, with: wrappingKey))
        } catch {
            throw .engineFailure
        }
    }

    fileprivate static func wrappingKey(
        _ shared: consuming SecretBytes, _ name: [UInt8], _ ephemeral: P256PublicKey
    ) -> SecretBytes {
        ConcatKDF.derive(
            sharedSecret: shared, algorithmID: "card-companion recovery", partyUInfo: ephemeral.x + ephemeral.y,
            partyVInfo: name, keyByteCount: 32)
    }
}

/// The recovery key with its private half, while keys are recovered.
package struct RecoveryKeyPair: Sendable {
    package let key: RecoveryKey
    private let pair: P256PrivateKey

    /// - Parameter privateKey: PKCS#8, DER. Nil if it is something else.
    init?(privateKey: SharedSecret) {
        guard let pair = try? P256PrivateKey(pkcs8: privateKey.bytes) else { return nil }
        self.pair = pair
        key = RecoveryKey(pair.publicKey)
    }

    /// Opens what ``RecoveryKey/wrap(_:as:)`` sealed for the same name.
    ///
    /// - Throws: `damagedDataKey`.
    package func unwrap(_ wrapped: [UInt8], as name: DataKeyName) throws(KeyVaultError) -> SharedSecret {
        let size = RecoveryKey.coordinateByteCount
        do {
            let ephemeral = try P256PublicKey(
                x: Array(wrapped.prefix(size)), y: Array(wrapped.dropFirst(size).prefix(size)))
            let wrappingKey = RecoveryKey.wrappingKey(
                try pair.sharedSecret(with: ephemeral), name.bytes(under: key.id), ephemeral)
            return SharedSecret(try AESKeyWrap.unwrap(Array(wrapped.dropFirst(2 * size)), with: wrappingKey))
        } catch {
            throw .damagedDataKey(id: name.id)
        }
    }
}
