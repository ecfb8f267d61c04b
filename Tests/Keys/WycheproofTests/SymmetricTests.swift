import Cryptography
import Testing

@Suite("Wycheproof: symmetric cryptography")
struct SymmetricTests {
    @Test("AES-GCM")
    func aesGCM() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "aes_gcm_test", GCMGroup.self) { group, vector in
            let opened = try? AESGCM.open(
                ciphertext: vector.ct.bytes, tag: vector.tag.bytes, key: vector.key.bytes, nonce: vector.iv.bytes,
                authenticating: vector.aad.bytes
            ).revealed
            let sealed = try? AESGCM.seal(
                vector.msg.bytes, key: vector.key.bytes, nonce: vector.iv.bytes, authenticating: vector.aad.bytes)
            let isSealed = sealed.map { $0 == (vector.ct.bytes, vector.tag.bytes) } ?? false
            #expect(isSealed == (opened != nil), "vector \(vector.tcId)")
            #expect(opened == nil || opened == vector.msg.bytes, "vector \(vector.tcId)")
            let isSupported = group.keySize == 256 && group.ivSize == 96 && group.tagSize == 128
            tally.count(vector, isSupported: isSupported, isAccepted: opened != nil)
        }
        #expect(tally == Tally(accepted: 39, refused: 27, unsupported: 250))
    }

    @Test("AES key wrap")
    func keyWrap() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "aes_wrap_test", KeyWrapGroup.self) { group, vector in
            let unwrapped = try? AESKeyWrap.unwrap(vector.ct.bytes, with: vector.key.bytes).revealed
            #expect(unwrapped == nil || unwrapped == vector.msg.bytes, "vector \(vector.tcId)")
            let wrapped = try? AESKeyWrap.wrap(vector.msg.bytes, with: vector.key.bytes)
            #expect(vector.result != .valid || unwrapped == nil || wrapped == vector.ct.bytes, "vector \(vector.tcId)")
            tally.count(vector, isSupported: group.keySize == 256, isAccepted: unwrapped != nil)
        }
        #expect(tally == Tally(accepted: 13, refused: 54, refusedAcceptable: 1, unsupported: 97))
    }

    @Test("HMAC with SHA-256")
    func hmac() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "hmac_sha256_test", HMACGroup.self) { group, vector in
            let isValid = HMACSHA256.isValid(vector.tag.bytes, for: vector.msg.bytes, key: vector.key.bytes)
            tally.count(vector, isSupported: group.tagSize == 256, isAccepted: isValid)
        }
        #expect(tally == Tally(accepted: 33, refused: 54, unsupported: 87))
    }
}

private struct GCMGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let key: Octets
        let iv: Octets
        let aad: Octets
        let msg: Octets
        let ct: Octets
        let tag: Octets
    }

    /// In bits, like the other sizes.
    let keySize: Int
    let ivSize: Int
    let tagSize: Int
    let tests: [Vector]
}

private struct KeyWrapGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let key: Octets
        let msg: Octets
        let ct: Octets
    }

    /// In bits.
    let keySize: Int
    let tests: [Vector]
}
