import Cryptography
import Testing

@Suite("Wycheproof: public keys")
struct PublicKeyTests {
    @Test("ECDH on P-256, with the peer's key as a DER SubjectPublicKeyInfo")
    func ecdh() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ecdh_secp256r1_test", ECDHGroup.self) { _, vector in
            let peer = try? P256PublicKey(subjectPublicKeyInfo: vector.publicKey.bytes)
            try tally.count(vector, isAccepted: agrees(vector, with: peer))
        }
        #expect(tally == Tally(accepted: 330, refused: 52, refusedAcceptable: 230))
    }

    @Test("ECDH on P-256, with the peer's key as a point")
    func ecdhPoint() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ecdh_secp256r1_ecpoint_test", ECDHGroup.self) { _, vector in
            let point = vector.publicKey.bytes
            let isUncompressed = point.first == 4
            let half = point.count / 2
            let peer =
                isUncompressed ? try? P256PublicKey(x: Array(point[1...half]), y: Array(point[(half + 1)...])) : nil
            try tally.count(vector, isSupported: isUncompressed, isAccepted: agrees(vector, with: peer))
        }
        #expect(tally == Tally(accepted: 330, refused: 16, unsupported: 9))
    }

    private func agrees(_ vector: ECDHGroup.Vector, with peer: P256PublicKey?) throws -> Bool {
        guard let peer else { return false }
        let key = try P256PrivateKey(pkcs8: vector.pkcs8)
        #expect(try key.sharedSecret(with: peer).revealed == vector.shared.bytes, "vector \(vector.tcId)")
        return true
    }

    @Test("ECDSA on P-256 with SHA-256")
    func ecdsa() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ecdsa_secp256r1_sha256_p1363_test", SignatureGroup.self) { group, vector in
            let key = try P256PublicKey(subjectPublicKeyInfo: group.publicKeyDer.bytes)
            tally.count(vector, isAccepted: key.isValidECDSASHA256(signature: vector.sig.bytes, for: vector.msg.bytes))
        }
        #expect(tally == Tally(accepted: 173, refused: 89))
    }

    @Test("Ed25519")
    func ed25519() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "ed25519_test", SignatureGroup.self) { group, vector in
            let key = try Ed25519PublicKey(subjectPublicKeyInfo: group.publicKeyDer.bytes)
            tally.count(vector, isAccepted: key.isValid(signature: vector.sig.bytes, for: vector.msg.bytes))
        }
        #expect(tally == Tally(accepted: 88, refused: 63))
    }

    @Test("RSASSA-PKCS1-v1_5 with SHA-256")
    func pkcs1() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "rsa_signature_2048_sha256_test", SignatureGroup.self) { group, vector in
            let key = try RSAPublicKey(subjectPublicKeyInfo: group.publicKeyDer.bytes)
            tally.count(vector, isAccepted: key.isValidPKCS1SHA256(signature: vector.sig.bytes, for: vector.msg.bytes))
        }
        #expect(tally == Tally(accepted: 9, refused: 249, refusedAcceptable: 1))
    }

    @Test("RSASSA-PSS with SHA-512")
    func pss() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "rsa_pss_4096_sha512_mgf1_64_test", SignatureGroup.self) { group, vector in
            let key = try RSAPublicKey(subjectPublicKeyInfo: group.publicKeyDer.bytes)
            tally.count(vector, isAccepted: key.isValidPSSSHA512(signature: vector.sig.bytes, for: vector.msg.bytes))
        }
        #expect(tally == Tally(accepted: 132, refused: 47))
    }

    @Test(
        "RSAES-OAEP with SHA-256, without a label",
        arguments: ["rsa_oaep_2048_sha256_mgf1sha256_test", "rsa_oaep_3072_sha256_mgf1sha256_test"])
    func oaep(file: String) throws {
        var tally = Tally()
        try Wycheproof.forEach(of: file, OAEPGroup.self) { group, vector in
            let key = try RSAPrivateKey(pkcs8: group.privateKeyPkcs8.bytes)
            let opened = try? key.decryptOAEPSHA256(vector.ct.bytes).revealed
            #expect(opened == nil || opened == vector.msg.bytes, "vector \(vector.tcId)")
            tally.count(vector, isSupported: vector.label.bytes.isEmpty, isAccepted: opened != nil)
        }
        #expect(tally == Tally(accepted: 10, refused: 19, unsupported: 8))
    }
}

struct ECDHGroup: VectorGroup {
    struct Vector: WycheproofVector {
        enum CodingKeys: String, CodingKey {
            case tcId, comment, result, shared
            case publicKey = "public"
            case privateKey = "private"
        }

        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let publicKey: Octets
        /// A number of up to 33 bytes.
        let privateKey: Octets
        let shared: Octets

        /// The private key as PKCS#8 without the public part (RFC 5958, RFC 5915).
        var pkcs8: [UInt8] {
            let scalar = privateKey.bytes.drop { $0 == 0 }
            let beginning = Hex.decode("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420") ?? []
            return beginning + [UInt8](repeating: 0, count: 32 - scalar.count) + scalar
        }
    }

    let tests: [Vector]
}

private struct OAEPGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let msg: Octets
        let ct: Octets
        let label: Octets
    }

    let privateKeyPkcs8: Octets
    let tests: [Vector]
}
