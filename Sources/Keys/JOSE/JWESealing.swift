package import Cryptography
package import SecureMemory
internal import StrictJSON

extension JWE {
    /// Encrypts a plaintext for an RSA key with RSA-OAEP-256.
    ///
    /// - Parameters:
    ///   - plaintext: the content.
    ///   - key: the receiver's key.
    ///   - keyID: `kid`.
    ///   - binding: what the header says about the content; absent parameters are omitted.
    /// - Throws: `encryptionFailed`.
    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: RSAPublicKey, keyID: String? = nil,
        binding: JWEBinding = JWEBinding()
    ) throws(JOSEError) -> String {
        try seal(plaintext, to: key, keyID: keyID, binding: binding, content: ContentSecrets())
    }

    /// Encrypts a plaintext for a P-256 key with ECDH-ES+A256KW. Each call uses a new ephemeral key.
    ///
    /// - Parameters:
    ///   - plaintext: the content.
    ///   - key: the receiver's key.
    ///   - keyID: `kid`.
    ///   - partyUInfo: `apu`, omitted if it is empty.
    ///   - partyVInfo: `apv`, omitted if it is empty.
    ///   - binding: what the header says about the content; absent parameters are omitted.
    /// - Throws: `encryptionFailed`.
    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: P256PublicKey, keyID: String? = nil,
        partyUInfo: [UInt8] = [], partyVInfo: [UInt8] = [], binding: JWEBinding = JWEBinding()
    ) throws(JOSEError) -> String {
        guard let ephemeralKey = try? P256PrivateKey.generate() else { throw JOSEError(.encryptionFailed) }
        return try seal(
            plaintext, to: key, keyID: keyID, partyUInfo: partyUInfo, partyVInfo: partyVInfo, binding: binding,
            ephemeralKey: ephemeralKey, content: ContentSecrets())
    }
}

// MARK: With chosen secrets, for test vectors

/// The key and the nonce that encrypt the content. Both are used only once.
package struct ContentSecrets: ~Copyable {
    let key: SecretBytes
    let nonce: [UInt8]

    /// A random key and nonce.
    init() {
        key = SecureRandom.secret(count: AESGCM.keyByteCount)
        nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
    }

    /// A given key and nonce, for test vectors.
    package init(key: consuming SecretBytes, nonce: [UInt8]) {
        self.key = key
        self.nonce = nonce
    }
}

extension JWE {
    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: RSAPublicKey, keyID: String?,
        binding: JWEBinding = JWEBinding(), content: consuming ContentSecrets
    ) throws(JOSEError) -> String {
        do {
            let header = header(.rsaOAEP256, keyID: keyID, binding)
            let encryptedKey = try key.encryptOAEPSHA256(content.key)
            return try compact(header, encryptedKey, plaintext, content)
        } catch {
            throw JOSEError(.encryptionFailed)
        }
    }

    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, to key: P256PublicKey, keyID: String?,
        partyUInfo: [UInt8], partyVInfo: [UInt8], binding: JWEBinding = JWEBinding(), ephemeralKey: P256PrivateKey,
        content: consuming ContentSecrets
    ) throws(JOSEError) -> String {
        do {
            let header = header(.ecdhESA256KW, keyID: keyID, binding) { header in
                header.add("epk", object: { JWK.write(.ec(ephemeralKey.publicKey), to: &$0) })
                if !partyUInfo.isEmpty { header.add("apu", base64URL: partyUInfo) }
                if !partyVInfo.isEmpty { header.add("apv", base64URL: partyVInfo) }
            }
            let agreement = KeyAgreement(partyUInfo: partyUInfo, partyVInfo: partyVInfo)
            let encryptedKey = try AESKeyWrap.wrap(content.key, with: agreement.wrappingKey(ephemeralKey, with: key))
            return try compact(header, encryptedKey, plaintext, content)
        } catch {
            throw JOSEError(.encryptionFailed)
        }
    }

    /// The protected header in base64url.
    private static func header(
        _ algorithm: JWEHeader.Algorithm, keyID: String?, _ binding: JWEBinding,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> String {
        let json = JSONWriter.object { header in
            header.add("alg", algorithm.rawValue)
            header.add("enc", JWEHeader.encryption)
            if let keyID { header.add("kid", keyID) }
            for case (let name, let value?) in binding.parameters { header.add(name, value) }
            more(&header)
        }
        return Base64URL.encode(json.withBytes { Array($0) })
    }

    private static func compact(
        _ protectedHeader: String, _ encryptedKey: [UInt8], _ plaintext: borrowing some ByteSource & ~Copyable,
        _ content: borrowing ContentSecrets
    ) throws(CryptographyError) -> String {
        let (ciphertext, tag) = try AESGCM.seal(
            plaintext, key: content.key, nonce: content.nonce, authenticating: Array(protectedHeader.utf8))
        let parts = [encryptedKey, content.nonce, ciphertext, tag].map { Base64URL.encode($0) }
        return ([protectedHeader] + parts).joined(separator: ".")
    }
}
