import Cryptography
import SecureMemory
import Testing

/// The keys that verify what documents have signed, and that agree with chips. They also take other curves and sizes, of which
/// there are no vectors here.
@Suite("Wycheproof: keys of documents")
struct DocumentKeyTests {
    @Test("ECDSA on P-256 with SHA-256")
    func ecdsa() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ecdsa_secp256r1_sha256_p1363_test", SignatureGroup.self) { group, vector in
            let key = try ECPublicKey(curve: .p256, point: Array(group.publicKeyDer.bytes.suffix(65)))
            let signature = vector.sig.bytes
            let isValid =
                signature.count == 64
                && key.isValidECDSA(
                    r: Array(signature[..<32]), s: Array(signature[32...]),
                    digest: HashAlgorithm.sha256.hash(vector.msg.bytes))
            tally.count(vector, isAccepted: isValid)
        }
        #expect(tally == Tally(accepted: 173, refused: 89))
    }

    @Test("ECDH on P-256")
    func ecdh() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ecdh_secp256r1_ecpoint_test", ECDHGroup.self) { _, vector in
            let point = vector.publicKey.bytes
            var isAccepted = false
            if let peer = try? ECPublicKey(curve: .p256, point: point) {
                let key = try ECPrivateKey(curve: .p256, number: vector.privateKey.bytes)
                isAccepted = try key.sharedSecret(with: peer).revealed == vector.shared.bytes
            }
            tally.count(vector, isSupported: point.first == 4, isAccepted: isAccepted)
        }
        #expect(tally == Tally(accepted: 330, refused: 16, unsupported: 9))
    }

    @Test("RSASSA-PKCS1-v1_5 with SHA-256")
    func pkcs1() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "rsa_signature_2048_sha256_test", SignatureGroup.self) { group, vector in
            let isValid = try key(of: group).isValidPKCS1(
                signature: vector.sig.bytes, digest: HashAlgorithm.sha256.hash(vector.msg.bytes), hash: .sha256)
            tally.count(vector, isAccepted: isValid)
        }
        #expect(tally == Tally(accepted: 9, refused: 249, refusedAcceptable: 1))
    }

    @Test("RSASSA-PSS with SHA-512")
    func pss() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "rsa_pss_4096_sha512_mgf1_64_test", SignatureGroup.self) { group, vector in
            let isValid = try key(of: group).isValidPSS(
                signature: vector.sig.bytes, digest: HashAlgorithm.sha512.hash(vector.msg.bytes), hash: .sha512,
                maskHash: .sha512, saltByteCount: 64)
            tally.count(vector, isAccepted: isValid)
        }
        #expect(tally == Tally(accepted: 132, refused: 47))
    }

    private func key(of group: SignatureGroup) throws -> RSAVerificationKey {
        let known = try RSAPublicKey(subjectPublicKeyInfo: group.publicKeyDer.bytes)
        return try RSAVerificationKey(modulus: known.modulus, exponent: known.publicExponent)
    }
}
