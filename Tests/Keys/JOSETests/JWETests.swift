import Cryptography
import JOSE
import SecureMemory
import Testing

@Suite("Encryption and decryption")
struct JWETests {
    private let plaintext = "1234            ".bytes

    @Test("A JWE for an RSA key decrypts with that key", arguments: [0, 1, 16, 4096, 40_960])
    func rsa(count: Int) throws {
        let plaintext = SecureRandom.bytes(count: count)
        let text = try JWE.seal(plaintext, to: Keys.rsa.publicKey, keyID: "key 1")
        let jwe = try JWE(compact: text, for: .rsaOAEP256)
        #expect(jwe.header.keyID == "key 1")
        #expect(try jwe.open(with: Keys.rsa).revealed == plaintext)
    }

    @Test("A JWE for a P-256 key decrypts with that key, with apu and apv", arguments: [0, 1, 16, 4096, 40_960])
    func p256(count: Int) throws {
        let plaintext = SecureRandom.bytes(count: count)
        let text = try JWE.seal(
            SecretBytes(copying: plaintext), to: Keys.p256.publicKey, keyID: nil, partyUInfo: "Alice".bytes,
            partyVInfo: [0, 0xff])
        let jwe = try JWE(compact: text, for: .ecdhESA256KW)
        #expect(jwe.header.keyID == nil)
        #expect(jwe.header.partyUInfo == "Alice".bytes)
        #expect(jwe.header.partyVInfo == [0, 0xff])
        #expect(try jwe.open(with: Keys.p256).revealed == plaintext)
    }

    @Test("A kid can have any characters")
    func keyIDs() throws {
        for keyID in ["", "\"", "\\", "a\"b\\c/\n\t\0\u{7f}é😀", "\u{1f}"] {
            let text = try JWE.seal(plaintext, to: Keys.p256.publicKey, keyID: keyID)
            #expect(try JWE(compact: text).header.keyID == keyID)
        }
    }

    @Test("Two JWEs have different keys, nonces and ephemeral keys")
    func freshness() throws {
        let (one, other) = (
            try JWE.seal(plaintext, to: Keys.p256.publicKey), try JWE.seal(plaintext, to: Keys.p256.publicKey)
        )
        let pairs = zip(one.split(separator: "."), other.split(separator: "."))
        #expect(pairs.allSatisfy { $0 != $1 })
        #expect(try JWE(compact: one).header.ephemeralKey != JWE(compact: other).header.ephemeralKey)
    }

    @Test("A JWE does not decrypt with another key or with a key of the other type")
    func otherKeys() throws {
        let toRSA = try JWE(compact: JWE.seal(plaintext, to: Keys.rsa.publicKey))
        let toP256 = try JWE(compact: JWE.seal(plaintext, to: Keys.p256.publicKey))
        let (rsa, p256) = (try RSAPrivateKey.generate(bits: 2048), try P256PrivateKey.generate())
        #expect(failure { () throws(JOSEError) in _ = try toRSA.open(with: rsa) } == .decryptionFailed)
        #expect(failure { () throws(JOSEError) in _ = try toP256.open(with: p256) } == .decryptionFailed)
        #expect(failure { () throws(JOSEError) in _ = try toRSA.open(with: p256) } == .unsupportedAlgorithm)
        #expect(failure { () throws(JOSEError) in _ = try toP256.open(with: rsa) } == .unsupportedAlgorithm)
    }

    @Test("A change in any part fails with the same error")
    func tampering() throws {
        let toRSA = try JWE.seal(plaintext, to: Keys.rsa.publicKey, keyID: "k")
        let toP256 = try JWE.seal(plaintext, to: Keys.p256.publicKey, keyID: "k", partyUInfo: "Alice".bytes)
        for part in 1..<5 {
            for bit in [0, 1, 77, 95] {
                #expect(try openingFailure(of: Self.flipping(bit: bit, ofPart: part, in: toRSA)) == .decryptionFailed)
                #expect(try openingFailure(of: Self.flipping(bit: bit, ofPart: part, in: toP256)) == .decryptionFailed)
            }
        }
    }

    @Test("A JWE with a changed header does not decrypt, even if the change is only a space")
    func headerTampering() throws {
        let text = try JWE.seal(plaintext, to: Keys.p256.publicKey, keyID: "k", partyUInfo: "Alice".bytes)
        for (old, new) in [
            (#""k""#, #""l""#), ("\"QWxpY2U\"", "\"Qm9i\""), (#","apu":"QWxpY2U""#, ""), ("{\"alg", "{ \"alg"),
        ] {
            let changed = try Self.replacing(old, with: new, inHeaderOf: text)
            #expect(changed != text)
            #expect(openingFailure(of: changed) == .decryptionFailed)
        }
    }

    @Test("A content key of another length fails like a wrong key", arguments: [0, 16, 24, 31, 33, 64])
    func contentKeyLengths(count: Int) throws {
        let encryptedKey = try Keys.rsa.publicKey.encryptOAEPSHA256([UInt8](repeating: 7, count: count))
        let text = try JWE.seal(plaintext, to: Keys.rsa.publicKey)
        #expect(openingFailure(of: Self.replacing(part: 1, with: encryptedKey, in: text)) == .decryptionFailed)
    }

    @Test(
        "A wrapped key of another length fails like a wrong key", arguments: [1, 8, 16, 24, 32, 48, 5000])
    func wrappedKeyLengths(count: Int) throws {
        let text = try JWE.seal(plaintext, to: Keys.p256.publicKey)
        let encryptedKey = [UInt8](repeating: 7, count: count)
        #expect(openingFailure(of: Self.replacing(part: 1, with: encryptedKey, in: text)) == .decryptionFailed)
    }

    @Test("A correctly wrapped content key of 16 bytes is refused")
    func shortWrappedKey() throws {
        let text = try JWE.seal(
            plaintext, to: Keys.p256.publicKey, keyID: nil, partyUInfo: [], partyVInfo: [], ephemeralKey: Keys.p256,
            content: ContentSecrets(key: SecureRandom.secret(count: 32), nonce: SecureRandom.bytes(count: 12)))
        let wrappingKey = ConcatKDF.derive(
            sharedSecret: try Keys.p256.sharedSecret(with: Keys.p256.publicKey), algorithmID: "ECDH-ES+A256KW",
            partyUInfo: [], partyVInfo: [], keyByteCount: 32)
        let short = try AESKeyWrap.wrap(SecureRandom.secret(count: 16), with: wrappingKey)
        #expect(openingFailure(of: Self.replacing(part: 1, with: short, in: text)) == .decryptionFailed)
    }

    @Test("A JWE without an encrypted key or without a valid epk is not decrypted")
    func incomplete() throws {
        let toRSA = try JWE.seal(plaintext, to: Keys.rsa.publicKey)
        let toP256 = try JWE.seal(plaintext, to: Keys.p256.publicKey)
        #expect(openingFailure(of: Self.replacing(part: 1, with: [], in: toRSA)) == .emptyEncryptedKey)
        #expect(openingFailure(of: Self.replacing(part: 1, with: [], in: toP256)) == .emptyEncryptedKey)
        let withoutKey = HandmadeJWE(header: #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM"}"#)
        #expect(openingFailure(of: withoutKey.compact) == .missingEphemeralKey)
        let withWrongKey = HandmadeJWE(header: #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":{}}"#)
        #expect(openingFailure(of: withWrongKey.compact) == .invalidEphemeralKey)
    }

    @Test("RFC 7516 appendix A.1 is refused because of its algorithm, and its content decrypts with its key")
    func rfc7516() throws {
        let text = RFC7516Example.compact
        #expect(failure { () throws(JOSEError) in _ = try JWE(compact: text) } == .unsupportedAlgorithm)
        let parts = text.split(separator: ".").map { Base64URL.decode(String($0)) ?? [] }
        let opened = try AESGCM.open(
            ciphertext: parts[3], tag: parts[4], key: RFC7516Example.contentKey, nonce: parts[2],
            authenticating: text.prefix { $0 != "." }.description.bytes)
        #expect(opened.revealed == RFC7516Example.plaintext.bytes)
    }

    // MARK: Changing and decrypting

    private func openingFailure(of text: String) -> JOSEError.Code? {
        failure { () throws(JOSEError) in
            let jwe = try JWE(compact: text)
            switch jwe.header.algorithm {
            case .rsaOAEP256: _ = try jwe.open(with: Keys.rsa)
            case .ecdhESA256KW: _ = try jwe.open(with: Keys.p256)
            }
        }
    }

    private static func replacing(part: Int, with bytes: [UInt8], in text: String) -> String {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[part] = Base64URL.encode(bytes)
        return parts.joined(separator: ".")
    }

    private static func flipping(bit: Int, ofPart part: Int, in text: String) throws -> String {
        var bytes = try #require(Base64URL.decode(String(text.split(separator: ".")[part])))
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        return replacing(part: part, with: bytes, in: text)
    }

    private static func replacing(_ old: String, with new: String, inHeaderOf text: String) throws -> String {
        let header = try #require(Base64URL.decode(String(text.prefix { $0 != "." })))
        let changed = String(decoding: header, as: UTF8.self).replacing(old, with: new)
        return replacing(part: 0, with: changed.bytes, in: text)
    }
}
