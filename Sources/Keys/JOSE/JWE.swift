package import Cryptography
package import SecureMemory

/// A JWE in compact serialization (RFC 7516) with the content encryption A256GCM. Its header is checked, its content is
/// not decrypted yet.
package struct JWE: Sendable {
    /// The default limit on the length of the text, in bytes.
    package static let byteCountLimit = 65_536
    /// The greatest length of the header, in bytes of base64url text.
    package static let headerByteCountLimit = 4096

    package let header: JWEHeader

    private let parts: CompactJWE

    /// Whether the encrypted key is empty. Such a JWE cannot be opened.
    package var encryptedKeyIsEmpty: Bool { parts.encryptedKey.isEmpty }

    /// Reads a JWE of either algorithm, without decryption. An absent or invalid ephemeral key and an empty encrypted key
    /// do not throw: see ``JWEHeader/ephemeralKey`` and ``encryptedKeyIsEmpty``.
    ///
    /// - Throws: `tooLong`, `malformed`, `unknownHeaderParameter`, `unsupportedAlgorithm`, `unsupportedEncryption`.
    package init(compact text: String, byteCountLimit: Int = JWE.byteCountLimit) throws(JOSEError) {
        parts = try CompactJWE(text, byteCountLimit: byteCountLimit)
        header = try JWEHeader(parts.headerMembers, JWEHeader.EphemeralKey(parts.headerMembers["epk"]))
    }

    /// Reads a JWE of the algorithm that the caller expects (RFC 8725 section 3.1), without decryption. Checks everything
    /// that does not need the key.
    ///
    /// - Throws: if there are several errors, the first in this order: `tooLong`, `malformed` (the parts),
    ///   `missingEphemeralKey`, `emptyEncryptedKey`, `invalidEphemeralKey`, then the errors of the other header
    ///   parameters. Errors of the ephemeral key occur with ECDH-ES only.
    package init(
        compact text: String, for algorithm: JWEHeader.Algorithm, byteCountLimit: Int = JWE.byteCountLimit
    ) throws(JOSEError) {
        parts = try CompactJWE(text, byteCountLimit: byteCountLimit)
        let ephemeralKey = JWEHeader.EphemeralKey(parts.headerMembers["epk"])
        let needsEphemeralKey = algorithm == .ecdhESA256KW
        if needsEphemeralKey, ephemeralKey == .absent { throw JOSEError(.missingEphemeralKey) }
        if parts.encryptedKey.isEmpty { throw JOSEError(.emptyEncryptedKey) }
        if needsEphemeralKey, ephemeralKey == .invalid { throw JOSEError(.invalidEphemeralKey) }
        header = try JWEHeader(parts.headerMembers, ephemeralKey)
        guard header.algorithm == algorithm else { throw JOSEError(.unsupportedAlgorithm) }
    }
}

// MARK: Opening

extension JWE {
    /// Decrypts a JWE for an RSA key.
    ///
    /// - Throws: `unsupportedAlgorithm`, `emptyEncryptedKey`, and `decryptionFailed` for everything that depends on the
    ///   key. It does not show whether the encrypted key or the content was wrong.
    package func open(with key: RSAPrivateKey) throws(JOSEError) -> SecretBytes {
        guard header.algorithm == .rsaOAEP256 else { throw JOSEError(.unsupportedAlgorithm) }
        guard !encryptedKeyIsEmpty else { throw JOSEError(.emptyEncryptedKey) }
        return try openContent(with: contentKey(openedWith: key))
    }

    /// Decrypts a JWE for a P-256 key.
    ///
    /// - Throws: `unsupportedAlgorithm`, `missingEphemeralKey`, `emptyEncryptedKey`, `invalidEphemeralKey`, and
    ///   `decryptionFailed` for everything that depends on the key.
    package func open(with key: P256PrivateKey) throws(JOSEError) -> SecretBytes {
        guard header.algorithm == .ecdhESA256KW else { throw JOSEError(.unsupportedAlgorithm) }
        guard header.ephemeralKey != .absent else { throw JOSEError(.missingEphemeralKey) }
        guard !encryptedKeyIsEmpty else { throw JOSEError(.emptyEncryptedKey) }
        guard case .key(let ephemeralKey) = header.ephemeralKey else { throw JOSEError(.invalidEphemeralKey) }
        return try openContent(with: contentKey(openedWith: key, from: ephemeralKey))
    }

    /// The content encryption key. If it does not decrypt, a random key replaces it, so that this failure looks like a
    /// wrong tag (RFC 7516 section 11.5).
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
