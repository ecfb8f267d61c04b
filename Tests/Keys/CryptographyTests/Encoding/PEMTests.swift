import Cryptography
import SecureMemory
import Testing

@Suite("Public keys in PEM")
struct PEMTests {
    @Test("A key of each type survives PEM, and its text has the format of RFC 7468")
    func roundTrips() throws {
        let rsa = RSATests.key.publicKey
        #expect(try RSAPublicKey(pem: rsa.pem().bytes) == rsa)
        let p256 = try P256PrivateKey.generate()
        #expect(try P256PublicKey(pem: p256.publicKey.pem().bytes) == p256.publicKey)
        #expect(try P256PrivateKey(pem: p256.pem()).publicKey == p256.publicKey)
        #expect(try p256.pem().revealed.starts(with: "-----BEGIN PRIVATE KEY-----\n".bytes))
        let ed25519 = try Ed25519PrivateKey.generate().publicKey
        #expect(try Ed25519PublicKey(pem: ed25519.pem().bytes) == ed25519)
        let lines = rsa.pem().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN PUBLIC KEY-----")
        #expect(lines.suffix(2) == ["-----END PUBLIC KEY-----", ""])
        #expect(lines.dropFirst().dropLast(3).allSatisfy { $0.count == 64 })
    }

    @Test("Any line ends, white space and text around the block are accepted")
    func lenient() throws {
        let key = try Ed25519PrivateKey.generate().publicKey
        let pem = key.pem()
        let texts = [
            pem.replacing("\n", with: "\r\n"), pem.replacing("\n", with: " \t\n"), String(pem.dropLast()),
            "The key of a bank:\n\n" + pem + "\nIts end.\n", pem.replacing("\nM", with: "\n\nM"),
            // Base64 lines of other lengths.
            pem.replacing("MCow", with: "MC\now"),
        ]
        for text in texts { #expect(try Ed25519PublicKey(pem: text.bytes) == key) }
    }

    @Test("Anything other than exactly one public key block is refused")
    func malformed() throws {
        let key = try Ed25519PrivateKey.generate()
        let pem = key.publicKey.pem()
        let content = Base64.encode(key.publicKey.subjectPublicKeyInfo)
        let privateKey = String(decoding: try key.pem().revealed, as: UTF8.self)
        let wrong = [
            "empty": "", "no PEM": "no PEM", "content alone": content, "two keys": pem + pem,
            "a private key": privateKey, "a private key beside it": pem + privateKey,
            "a certificate's label": pem.replacing("PUBLIC KEY", with: "CERTIFICATE"),
            "PKCS#1's label": pem.replacing("PUBLIC KEY", with: "RSA PUBLIC KEY"),
            "no end": String(pem.dropLast(26)), "no beginning": String(pem.dropFirst(27)),
            "end before beginning": "-----END PUBLIC KEY-----\n\(content)\n-----BEGIN PUBLIC KEY-----\n",
            "empty block": "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
            "a header": pem.replacing(content, with: "Proc-Type: 4,ENCRYPTED\n\n" + content),
            "not base64": pem.replacing("MCow", with: "MC!w"),
            "without its first byte": pem.replacing("MCow", with: "Kj"),
            "a character of no base64": String(pem.dropLast(30)) + "\u{fffd}" + String(pem.suffix(30)),
            "space in the content": pem.replacing("MCow", with: "MC ow"),
            "hyphens missing": pem.replacing("KEY-----", with: "KEY----"),
            "too long": String(repeating: "text\n", count: 4000) + pem,
        ]
        for (name, text) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") { try Ed25519PublicKey(pem: text.bytes) }
            #expect(error?.code == .invalidKey, "\(name)")
        }
        #expect(throws: CryptographyError.self) { try Ed25519PublicKey(pem: pem.bytes + [0xff]) }
    }

    @Test("A key of another type is refused")
    func otherTypes() throws {
        let ed25519 = try Ed25519PrivateKey.generate()
        let p256 = try P256PrivateKey.generate()
        #expect(throws: CryptographyError.self) { try RSAPublicKey(pem: ed25519.publicKey.pem().bytes) }
        #expect(throws: CryptographyError.self) { try P256PublicKey(pem: ed25519.publicKey.pem().bytes) }
        #expect(throws: CryptographyError.self) { try Ed25519PublicKey(pem: p256.publicKey.pem().bytes) }
        #expect(throws: CryptographyError.self) { try P256PrivateKey(pem: ed25519.pem()) }
        #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(pem: p256.pem()) }
        #expect(throws: CryptographyError.self) { try RSAPrivateKey(pem: p256.pem()) }
    }
}
