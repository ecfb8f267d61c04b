import Cryptography
import Foundation
import JOSE
import PythonOracle
import SecureMemory
import Testing

/// The vectors that ship with the project for whoever writes a client: each step of each sealed value.
@Suite("Test vectors")
struct VectorTests {
    @Test(
        "Each step of a value sealed to a P-256 key is as in the vector",
        arguments: try JWEVector.all(of: "ECDH-ES+A256KW"))
    func ecdh(vector: JWEVector) throws {
        let ephemeral = try vector.key(vector.ephemeral)
        let recipient = try vector.key(vector.recipient)
        let sharedSecret = try ephemeral.sharedSecret(with: recipient.publicKey)
        #expect(Base64URL.encode(sharedSecret) == vector.sharedSecret)
        let wrappingKey = ConcatKDF.derive(
            sharedSecret: sharedSecret, algorithmID: vector.alg, partyUInfo: try vector.bytes(vector.apu),
            partyVInfo: try vector.bytes(vector.apv), keyByteCount: 32)
        #expect(Base64URL.encode(wrappingKey) == vector.wrappingKey)
        let contentKey = SecretBytes(copying: try vector.bytes(vector.contentKey))
        #expect(try Base64URL.encode(AESKeyWrap.wrap(contentKey, with: wrappingKey)) == vector.encryptedKey)
        let sealed = try JWE.seal(
            vector.plaintext.bytes, to: recipient.publicKey, keyID: vector.kid,
            partyUInfo: vector.bytes(vector.apu), partyVInfo: vector.bytes(vector.apv), ephemeralKey: ephemeral,
            content: ContentSecrets(key: contentKey, nonce: vector.bytes(vector.nonce)))
        #expect(sealed == vector.compact)
        let jwe = try JWE(compact: vector.compact, for: .ecdhESA256KW)
        #expect(try jwe.open(with: recipient).revealed == vector.plaintext.bytes)
    }

    @Test(
        "A value sealed to an RSA key opens to what the vector says", arguments: try JWEVector.all(of: "RSA-OAEP-256"))
    func oaep(vector: JWEVector) throws {
        let key = try RSAPrivateKey(pkcs8: vector.bytes(vector.recipientPKCS8))
        let contentKey = try key.decryptOAEPSHA256(vector.bytes(vector.encryptedKey))
        #expect(Base64URL.encode(contentKey) == vector.contentKey)
        let jwe = try JWE(compact: vector.compact, for: .rsaOAEP256)
        #expect(jwe.header.keyID == vector.kid)
        #expect(try jwe.open(with: key).revealed == vector.plaintext.bytes)
        // Only the encrypted key differs from one seal to the next.
        let sealed = try JWE.seal(
            vector.plaintext.bytes, to: key.publicKey, keyID: vector.kid,
            content: ContentSecrets(key: contentKey, nonce: vector.bytes(vector.nonce)))
        let (ours, theirs) = (sealed.split(separator: "."), vector.compact.split(separator: "."))
        #expect(ours.enumerated().filter { $0.offset != 1 }.allSatisfy { $0.element == theirs[$0.offset] })
        #expect(ours[1] != theirs[1])
    }

    @Test(
        "Python computes the same vectors",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func python() throws {
        let answers = try PythonOracle(script: "Oracles/vectors.py").ask("check")
        #expect(answers.count == 4)
        #expect(answers.values.allSatisfy { $0 == "true" })
    }
}

/// A vector of `Vectors/sealed-values.json`; bytes are base64url.
struct JWEVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Key: Decodable, Sendable {
        let x: String
        let y: String
        let d: String
    }

    let name: String
    let alg: String
    let kid: String
    let recipient: Key?
    let ephemeral: Key?
    let recipientPKCS8: String?
    let apu: String?
    let apv: String?
    let sharedSecret: String?
    let wrappingKey: String?
    let contentKey: String
    let encryptedKey: String
    let nonce: String
    let plaintext: String
    let compact: String

    var testDescription: String { name }

    static func all(of algorithm: String) throws -> [JWEVector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/sealed-values.json")
        return try JSONDecoder().decode([JWEVector].self, from: Data(contentsOf: file)).filter { $0.alg == algorithm }
    }

    func bytes(_ text: String?) throws -> [UInt8] {
        try #require(text.flatMap(Base64URL.decode))
    }

    /// The key, by way of PKCS#8.
    func key(_ key: Key?) throws -> P256PrivateKey {
        let beginning = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
        let (start, middle) = (try #require(Hex.decode(beginning)), try #require(Hex.decode("a14403420004")))
        return try P256PrivateKey(pkcs8: start + bytes(key?.d) + middle + bytes(key?.x) + bytes(key?.y))
    }

    // MARK: RFC 7516 appendix A.1

    static func rfc7516A1() throws -> String {
        """
        eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJRgckCL9kiMT03JGe\
        ipsEdY3mx_etLbbWSrFr05kLzcSr4qKAq7YN7e9jwQRb23nfa6c9d-StnImGyFDbSv04uVuxIp5Zms1gNxKKK2Da14B8S4rzVRltdYwam_lDp5Xn\
        ZAYpQdb76FdIKLaVmqgfwX7XWRxv2322i-vDxRfqNzo_tETKzpVLzfiwQyeyPGLBIO56YJ7eObdv0je81860ppamavo35UgoRdbYaBcoh9QcfylQ\
        r66oc6vFWXRcZ_ZT2LawVCWTIy3brGPi6UklfCpIMfIjf7iGdXKHzg.48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9o\
        Mo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ
        """
    }

    static let rfc7516A1Key: [UInt8] = [
        177, 161, 244, 128, 84, 143, 225, 115, 63, 180, 3, 255, 107, 154, 212, 246, 138, 7, 110, 91, 112, 46, 34, 105,
        47,
        130, 203, 46, 122, 234, 64, 252,
    ]
}
