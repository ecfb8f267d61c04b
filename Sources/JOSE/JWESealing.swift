public import Cryptography
public import SecureMemory

extension JWE {
    /// Seals a plaintext to an RSA key with RSA-OAEP-256. Throws `encryptionFailed`.
    public static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: RSAPublicKey, keyID: String? = nil
    ) throws(JOSEError) -> String {
        try seal(plaintext, to: key, keyID: keyID, content: ContentSecrets())
    }

    /// Seals a plaintext to a P-256 key with ECDH-ES+A256KW, each time with a new ephemeral key. Throws
    /// `encryptionFailed`.
    ///
    /// - Parameters:
    ///   - plaintext: what is sealed.
    ///   - key: the receiver's key.
    ///   - keyID: `kid`.
    ///   - partyUInfo: `apu`, left out where it is empty.
    ///   - partyVInfo: `apv`, left out where it is empty.
    public static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: P256PublicKey, keyID: String? = nil,
        partyUInfo: [UInt8] = [], partyVInfo: [UInt8] = []
    ) throws(JOSEError) -> String {
        guard let ephemeralKey = try? P256PrivateKey.generate() else { throw JOSEError(.encryptionFailed) }
        return try seal(
            plaintext, to: key, keyID: keyID, partyUInfo: partyUInfo, partyVInfo: partyVInfo,
            ephemeralKey: ephemeralKey, content: ContentSecrets())
    }
}

// MARK: With chosen secrets, for test vectors

/// What the content is sealed with: a key and a nonce, both used once.
package struct ContentSecrets: ~Copyable {
    let key: SecretBytes
    let nonce: [UInt8]

    /// Random ones.
    init() {
        key = SecureRandom.secret(count: AESGCM.keyByteCount)
        nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
    }

    /// Chosen ones, for test vectors.
    package init(key: consuming SecretBytes, nonce: [UInt8]) {
        self.key = key
        self.nonce = nonce
    }
}

extension JWE {
    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: RSAPublicKey, keyID: String?,
        content: consuming ContentSecrets
    ) throws(JOSEError) -> String {
        do {
            let header = header(.rsaOAEP256, keyID: keyID)
            let encryptedKey = try key.encryptOAEPSHA256(content.key)
            return try compact(header, encryptedKey, plaintext, content)
        } catch {
            throw JOSEError(.encryptionFailed)
        }
    }

    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: P256PublicKey, keyID: String?,
        partyUInfo: [UInt8], partyVInfo: [UInt8], ephemeralKey: P256PrivateKey, content: consuming ContentSecrets
    ) throws(JOSEError) -> String {
        do {
            var header = header(.ecdhESA256KW, keyID: keyID)
            header.add("epk", JWK.members(of: .ec(ephemeralKey.publicKey)))
            if !partyUInfo.isEmpty { header.add("apu", Base64URL.encode(partyUInfo)) }
            if !partyVInfo.isEmpty { header.add("apv", Base64URL.encode(partyVInfo)) }
            let agreement = KeyAgreement(partyUInfo: partyUInfo, partyVInfo: partyVInfo)
            let encryptedKey = try AESKeyWrap.wrap(content.key, with: agreement.wrappingKey(ephemeralKey, with: key))
            return try compact(header, encryptedKey, plaintext, content)
        } catch {
            throw JOSEError(.encryptionFailed)
        }
    }

    private static func header(_ algorithm: JWEHeader.Algorithm, keyID: String?) -> JSONObjectText {
        var header = JSONObjectText([("alg", algorithm.rawValue), ("enc", JWEHeader.encryption)])
        if let keyID { header.add("kid", keyID) }
        return header
    }

    private static func compact(
        _ header: JSONObjectText, _ encryptedKey: [UInt8], _ plaintext: borrowing some ByteSource & ~Copyable,
        _ content: borrowing ContentSecrets
    ) throws(CryptographyError) -> String {
        let protectedHeader = Base64URL.encode(Array(header.text.utf8))
        let (ciphertext, tag) = try AESGCM.seal(
            plaintext, key: content.key, nonce: content.nonce, authenticating: Array(protectedHeader.utf8))
        let parts = [encryptedKey, content.nonce, ciphertext, tag].map { Base64URL.encode($0) }
        return ([protectedHeader] + parts).joined(separator: ".")
    }
}
