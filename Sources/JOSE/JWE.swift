public import Cryptography
public import SecureMemory

/// A sealed value: a JWE in compact serialization (RFC 7516) with the content encryption A256GCM, its header read and
/// checked, its content still closed.
public struct JWE: Sendable {
    /// The most bytes of text that are read where the caller does not say otherwise.
    public static let byteCountLimit = 65_536
    /// The most bytes of base64url text that a header may have.
    public static let headerByteCountLimit = 4096

    /// The header.
    public let header: JWEHeader

    private let parts: CompactJWE

    /// Whether the encrypted key is empty: such a JWE cannot be opened.
    public var encryptedKeyIsEmpty: Bool { parts.encryptedKey.isEmpty }

    /// Reads a JWE of either algorithm, without opening it. Throws `tooLong`, `malformed`, `unknownHeaderParameter`,
    /// `unsupportedAlgorithm` or `unsupportedEncryption`; an ephemeral key that is absent or invalid and an empty
    /// encrypted key do not throw, but are there to see.
    public init(compact text: String, byteCountLimit: Int = JWE.byteCountLimit) throws(JOSEError) {
        parts = try CompactJWE(text, byteCountLimit: byteCountLimit)
        header = try JWEHeader(parts.headerMembers)
    }

    /// Reads a JWE of the one algorithm that the caller expects (RFC 8725 section 3.1), without opening it. After this
    /// it has all that opening needs.
    ///
    /// Of several faults it throws the first of: `tooLong`, `malformed` (the parts), `missingEphemeralKey`,
    /// `emptyEncryptedKey`, `invalidEphemeralKey`, and then those of the header as a whole. The faults of the ephemeral
    /// key belong to ECDH-ES only.
    public init(
        compact text: String, for algorithm: JWEHeader.Algorithm, byteCountLimit: Int = JWE.byteCountLimit
    ) throws(JOSEError) {
        parts = try CompactJWE(text, byteCountLimit: byteCountLimit)
        let ephemeralKey = JWEHeader.EphemeralKey(parts.headerMembers["epk"])
        let needsEphemeralKey = algorithm == .ecdhESA256KW
        if needsEphemeralKey, ephemeralKey == .absent { throw JOSEError(.missingEphemeralKey) }
        if parts.encryptedKey.isEmpty { throw JOSEError(.emptyEncryptedKey) }
        if needsEphemeralKey, ephemeralKey == .invalid { throw JOSEError(.invalidEphemeralKey) }
        header = try JWEHeader(parts.headerMembers)
        guard header.algorithm == algorithm else { throw JOSEError(.unsupportedAlgorithm) }
    }
}

// MARK: Opening

extension JWE {
    /// Opens what was sealed to an RSA key. Throws `unsupportedAlgorithm`, `emptyEncryptedKey`, and `decryptionFailed`
    /// for everything that depends on the key: whether the encrypted key or the content was wrong does not show.
    public func open(with key: RSAPrivateKey) throws(JOSEError) -> SecretBytes {
        guard header.algorithm == .rsaOAEP256 else { throw JOSEError(.unsupportedAlgorithm) }
        guard !encryptedKeyIsEmpty else { throw JOSEError(.emptyEncryptedKey) }
        return try openContent(with: contentKey(openedWith: key))
    }

    /// Opens what was sealed to a P-256 key. Throws `unsupportedAlgorithm`, `missingEphemeralKey`, `emptyEncryptedKey`,
    /// `invalidEphemeralKey`, and `decryptionFailed` for everything that depends on the key.
    public func open(with key: P256PrivateKey) throws(JOSEError) -> SecretBytes {
        guard header.algorithm == .ecdhESA256KW else { throw JOSEError(.unsupportedAlgorithm) }
        guard header.ephemeralKey != .absent else { throw JOSEError(.missingEphemeralKey) }
        guard !encryptedKeyIsEmpty else { throw JOSEError(.emptyEncryptedKey) }
        guard case .key(let ephemeralKey) = header.ephemeralKey else { throw JOSEError(.invalidEphemeralKey) }
        return try openContent(with: contentKey(openedWith: key, from: ephemeralKey))
    }

    /// The content encryption key; where it does not open, a random one in its place, so that this failure runs the
    /// same way as a wrong tag (RFC 7516 section 11.5).
    private func contentKey(openedWith key: RSAPrivateKey) -> SecretBytes {
        let substitute = SecureRandom.secret(count: AESGCM.keyByteCount)
        guard let contentKey = try? key.decryptOAEPSHA256(parts.encryptedKey),
            contentKey.count == AESGCM.keyByteCount
        else { return substitute }
        return contentKey
    }

    private func contentKey(
        openedWith key: P256PrivateKey, from ephemeralKey: P256PublicKey
    ) throws(JOSEError) -> SecretBytes {
        do {
            let agreement = KeyAgreement(partyUInfo: header.partyUInfo, partyVInfo: header.partyVInfo)
            let wrappingKey = try agreement.wrappingKey(key, with: ephemeralKey)
            return try AESKeyWrap.unwrap(parts.encryptedKey, with: wrappingKey)
        } catch {
            throw JOSEError(.decryptionFailed)
        }
    }

    private func openContent(with contentKey: consuming SecretBytes) throws(JOSEError) -> SecretBytes {
        do {
            return try AESGCM.open(
                ciphertext: parts.ciphertext, tag: parts.tag, key: contentKey, nonce: parts.nonce,
                authenticating: parts.protectedHeader)
        } catch {
            throw JOSEError(.decryptionFailed)
        }
    }
}

/// The key agreement of ECDH-ES+A256KW (RFC 7518 section 4.6).
struct KeyAgreement {
    let partyUInfo: [UInt8]
    let partyVInfo: [UInt8]

    func wrappingKey(
        _ key: P256PrivateKey, with peer: P256PublicKey
    ) throws(CryptographyError) -> SecretBytes {
        let sharedSecret = try key.sharedSecret(with: peer)
        return ConcatKDF.derive(
            sharedSecret: sharedSecret, algorithmID: JWEHeader.Algorithm.ecdhESA256KW.rawValue,
            partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyByteCount: AESKeyWrap.keyByteCount)
    }
}
