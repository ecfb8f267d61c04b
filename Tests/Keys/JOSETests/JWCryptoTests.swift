import Cryptography
import JOSE
import PythonOracle
import SecureMemory
import Testing

/// Both directions against another implementation: jwcrypto.
@Suite("With jwcrypto", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct JWCryptoTests {
    private let oracle = PythonOracle(script: "Oracles/jose_oracle.py")
    private let plaintext = SecureRandom.bytes(count: 4096)

    @Test("We decrypt what jwcrypto encrypted for an RSA key")
    func opensRSA() async throws {
        let text = try await seal(
            ["alg": "RSA-OAEP-256", "kid": "a", "typ": "JOSE"], to: Keys.rsa.publicKey.subjectPublicKeyInfo)
        let jwe = try JWE(compact: text, for: .rsaOAEP256)
        #expect(jwe.header.keyID == "a")
        #expect(try jwe.open(with: Keys.rsa).revealed == plaintext)
    }

    @Test("We decrypt what jwcrypto encrypted for a P-256 key, with and without apu and apv")
    func opensP256() async throws {
        for parties in [[:], ["apu": "QWxpY2U", "apv": "Qm9i"], ["apv": "AP8"]] {
            let header = parties.merging(["alg": "ECDH-ES+A256KW", "kid": "b"]) { $1 }
            let text = try await seal(header, to: Keys.p256.publicKey.subjectPublicKeyInfo)
            let jwe = try JWE(compact: text, for: .ecdhESA256KW)
            #expect(jwe.header.keyID == "b")
            #expect(Base64URL.encode(jwe.header.partyUInfo) == parties["apu", default: ""])
            #expect(Base64URL.encode(jwe.header.partyVInfo) == parties["apv", default: ""])
            #expect(try jwe.open(with: Keys.p256).revealed == plaintext)
        }
    }

    @Test("jwcrypto decrypts what we encrypted for an RSA key")
    func sealsRSA() async throws {
        let text = try JWE.seal(plaintext, to: Keys.rsa.publicKey, keyID: "ké\"y")
        let opened = try await open(text, with: Keys.rsa.pkcs8())
        #expect(opened["plaintext"] == Hex.encode(plaintext))
        #expect(opened["kid"] == "ké\"y")
    }

    @Test("jwcrypto decrypts what we encrypted for a P-256 key, with and without apu and apv")
    func sealsP256() async throws {
        for (partyU, partyV) in [("", ""), ("Alice", "Bob"), ("", "Bob")] {
            let text = try JWE.seal(
                plaintext, to: Keys.p256.publicKey, keyID: "k", partyUInfo: partyU.bytes, partyVInfo: partyV.bytes)
            let opened = try await open(text, with: Keys.p256.pkcs8())
            #expect(opened["plaintext"] == Hex.encode(plaintext))
            #expect(opened["apu", default: ""] == partyU.base64URL)
            #expect(opened["apv", default: ""] == partyV.base64URL)
        }
    }

    private func seal(_ header: [String: String], to publicKey: [UInt8]) async throws -> String {
        let arguments = ["enc": "A256GCM", "plaintext": Hex.encode(plaintext), "publicKey": Hex.encode(publicKey)]
        return try #require(try await oracle.ask("seal", header.merging(arguments) { $1 })["compact"])
    }

    private func open(_ text: String, with pkcs8: consuming SecretBytes) async throws -> [String: String] {
        try await oracle.ask("open_sealed", ["compact": text, "privateKey": Hex.encode(pkcs8)])
    }
}
