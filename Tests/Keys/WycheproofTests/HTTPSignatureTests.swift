import Cryptography
import HTTPSignatures
import SecureMemory
import Testing

/// The keys that verify signatures of requests. They verify text, so vectors of other messages are not supported.
@Suite("Wycheproof: signatures of HTTP messages")
struct HTTPSignatureTests {
    @Test(
        "Keys that verify",
        arguments: [
            ("ecdsa_secp256r1_sha256_p1363_test", .ecdsaP256SHA256, Tally(accepted: 173, refused: 89)),
            ("ed25519_test", .ed25519, Tally(accepted: 22, refused: 62, unsupported: 67)),
            (
                "rsa_signature_2048_sha256_test", .rsaPKCS1SHA256,
                Tally(accepted: 8, refused: 249, refusedAcceptable: 1, unsupported: 1)
            ),
            ("rsa_pss_4096_sha512_mgf1_64_test", .rsaPSSSHA512, Tally(accepted: 131, refused: 47, unsupported: 1)),
        ] as [(String, SignatureAlgorithm, Tally)])
    func publicKeys(file: String, algorithm: SignatureAlgorithm, expected: Tally) throws {
        var tally = Tally()
        try Wycheproof.forEach(of: file, SignatureGroup.self) { group, vector in
            let key = try VerificationKey(algorithm, pem: Array(group.publicKeyPem.utf8))
            #expect(key.subjectPublicKeyInfo == group.publicKeyDer.bytes)
            let message = String(validating: vector.msg.bytes, as: UTF8.self)
            let isValid = message.map { key.isValid(vector.sig.bytes, over: $0) } ?? false
            tally.count(vector, isSupported: message != nil, isAccepted: isValid)
        }
        #expect(tally == expected)
    }

    @Test("Shared secrets")
    func hmac() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "hmac_sha256_test", HMACGroup.self) { group, vector in
            let message = String(validating: vector.msg.bytes, as: UTF8.self)
            let key = try? VerificationKey.hmacSHA256(HMACKey(SecretBytes(copying: vector.key.bytes)))
            let isSupported = message != nil && key != nil && group.tagSize == 256
            let isValid = key?.isValid(vector.tag.bytes, over: message ?? "") ?? false
            tally.count(vector, isSupported: isSupported, isAccepted: isValid)
        }
        #expect(tally == Tally(accepted: 3, refused: 54, unsupported: 117))
    }
}
