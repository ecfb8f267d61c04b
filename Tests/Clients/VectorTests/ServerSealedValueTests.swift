import Cryptography
import JOSE
import SecureMemory
import Testing

@Suite("Sealed value vectors: server modules")
struct ServerSealedValueTests {
    private static func cases() throws -> [SealedValueCase] {
        try SealedValueCase.delivered() + SealedValueCase.defined()
    }

    @Test("Each sealed value decrypts to its plaintext", arguments: try cases())
    func opens(_ sealed: SealedValueCase) throws {
        let jwe = try JWE(compact: sealed.vector.compact)
        #expect(jwe.header.algorithm.rawValue == sealed.vector.alg)
        #expect(jwe.header.keyID == (sealed.vector.delivered == nil ? sealed.key.thumbprint : nil))
        #expect(jwe.header.binding == sealed.vector.jweBinding)
        #expect(jwe.header.partyUInfo == sealed.vector.apu?.bytes ?? [])
        #expect(jwe.header.partyVInfo == sealed.vector.apv?.bytes ?? [])
        #expect(try jwe.open(with: sealed.key).revealed == Array(sealed.vector.plaintext.utf8))
    }

    @Test("Each step of the key agreement matches the vector", arguments: try cases().filter(\.vector.isECDH))
    func agreement(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        let (ephemeral, recipient) = (
            try P256PrivateKey(jwk: #require(vector.ephemeral)), try sealed.key.serverP256()
        )
        let sharedSecret = try ephemeral.sharedSecret(with: recipient.publicKey)
        #expect(sharedSecret.revealed == vector.sharedSecret?.bytes)
        #expect(try recipient.sharedSecret(with: ephemeral.publicKey).revealed == vector.sharedSecret?.bytes)
        let wrappingKey = ConcatKDF.derive(
            sharedSecret: sharedSecret, algorithmID: vector.alg, partyUInfo: try #require(vector.apu).bytes,
            partyVInfo: try #require(vector.apv).bytes, keyByteCount: 32)
        #expect(wrappingKey.revealed == vector.wrappingKey?.bytes)
        #expect(try AESKeyWrap.wrap(vector.contentKey.bytes, with: wrappingKey) == vector.encryptedKey.bytes)
        #expect(try AESKeyWrap.unwrap(vector.encryptedKey.bytes, with: wrappingKey).revealed == vector.contentKey.bytes)
    }

    @Test("OAEP decrypts the content key", arguments: try cases().filter { !$0.vector.isECDH })
    func oaep(_ sealed: SealedValueCase) throws {
        let contentKey = try sealed.key.serverRSA().decryptOAEPSHA256(sealed.vector.encryptedKey.bytes)
        #expect(contentKey.revealed == sealed.vector.contentKey.bytes)
    }

    @Test("AES-GCM encrypts the content to the vector's ciphertext and tag", arguments: try cases())
    func content(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        #expect(Base64URL.encode(Array(vector.header.utf8)) == vector.protectedHeader)
        #expect(vector.additionalData.bytes == Array(vector.protectedHeader.utf8))
        let (ciphertext, tag) = try AESGCM.seal(
            Array(vector.plaintext.utf8), key: vector.contentKey.bytes, nonce: vector.iv.bytes,
            authenticating: vector.additionalData.bytes)
        #expect(ciphertext == vector.ciphertext.bytes)
        #expect(tag == vector.tag.bytes)
    }

    @Test(
        "With the vector's keys the server creates the same ECDH-ES JWE",
        arguments: try cases().filter(\.vector.isECDH))
    func sealsToP256(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        let text = try JWE.seal(
            Array(vector.plaintext.utf8), to: sealed.key.serverP256().publicKey,
            keyID: vector.delivered == nil ? sealed.key.thumbprint : nil,
            partyUInfo: #require(vector.apu).bytes, partyVInfo: #require(vector.apv).bytes,
            binding: vector.jweBinding, ephemeralKey: P256PrivateKey(jwk: #require(vector.ephemeral)),
            content: ContentSecrets(key: SecretBytes(copying: vector.contentKey.bytes), nonce: vector.iv.bytes))
        #expect(text == vector.compact)
    }

    @Test(
        "With the vector's keys the server creates the same RSA JWE, except for the encrypted key",
        arguments: try cases().filter { !$0.vector.isECDH })
    func sealsToRSA(_ sealed: SealedValueCase) throws {
        let vector = sealed.vector
        let text = try JWE.seal(
            Array(vector.plaintext.utf8), to: sealed.key.serverRSA().publicKey,
            keyID: vector.delivered == nil ? sealed.key.thumbprint : nil, binding: vector.jweBinding,
            content: ContentSecrets(key: SecretBytes(copying: vector.contentKey.bytes), nonce: vector.iv.bytes))
        let (ours, theirs) = (text.split(separator: "."), vector.compact.split(separator: "."))
        #expect(ours.indices.filter { ours[$0] != theirs[$0] } == [1])
    }
}

extension SealedValueVector {
    fileprivate var jweBinding: JWEBinding {
        JWEBinding(
            contentType: binding?["cty"], issuer: binding?["iss"], subject: binding?["sub"], id: binding?["jti"],
            keypadId: binding?["keypadId"])
    }
}
