import Cryptography
import SecureMemory
import Testing

@Suite("AES-256-GCM")
struct AESGCMTests {
    @Test("The test cases of the GCM specification give the expected values", arguments: specificationCases)
    func vectors(vector: GCMVector) throws {
        let sealed = try AESGCM.seal(
            hex(vector.plaintext), key: hex(vector.key), nonce: hex(vector.nonce), authenticating: hex(vector.data))
        #expect(try sealed.ciphertext == hex(vector.ciphertext))
        #expect(try sealed.tag == hex(vector.tag))
        let opened = try AESGCM.open(
            ciphertext: hex(vector.ciphertext), tag: hex(vector.tag), key: hex(vector.key), nonce: hex(vector.nonce),
            authenticating: hex(vector.data))
        #expect(try opened.revealed == hex(vector.plaintext))
    }

    @Test("A changed bit in ciphertext, tag, nonce, key or data is detected")
    func tampering() throws {
        let sealed = Sealed()
        let (ciphertext, tag) = try sealed.seal()
        for bit in 0..<ciphertext.count * 8 {
            sealed.expectRefusal(.authenticationFailed, ciphertext: ciphertext.flipping(bit: bit), tag: tag)
        }
        for bit in 0..<tag.count * 8 {
            sealed.expectRefusal(.authenticationFailed, ciphertext: ciphertext, tag: tag.flipping(bit: bit))
        }
        var other = sealed
        other.data = sealed.data.flipping(bit: 0)
        other.expectRefusal(.authenticationFailed, ciphertext: ciphertext, tag: tag)
        other = sealed
        other.nonce = sealed.nonce.flipping(bit: 95)
        other.expectRefusal(.authenticationFailed, ciphertext: ciphertext, tag: tag)
        other = sealed
        other.key = sealed.key.flipping(bit: 7)
        other.expectRefusal(.authenticationFailed, ciphertext: ciphertext, tag: tag)
        sealed.expectRefusal(.authenticationFailed, ciphertext: ciphertext.dropLast(), tag: tag)
        sealed.expectRefusal(.authenticationFailed, ciphertext: [], tag: tag)
    }

    @Test("A shortened or lengthened tag is refused", arguments: Array(0..<16) + [17, 32])
    func tagLengths(count: Int) throws {
        let sealed = Sealed()
        let (ciphertext, tag) = try sealed.seal()
        sealed.expectRefusal(.invalidLength, ciphertext: ciphertext, tag: Array((tag + tag).prefix(count)))
    }

    @Test(
        "Keys and nonces of other lengths are refused",
        arguments: [(16, 12), (24, 12), (0, 12), (33, 12), (32, 0), (32, 11), (32, 16)])
    func lengths(keyByteCount: Int, nonceByteCount: Int) {
        var sealed = Sealed()
        sealed.key = SecureRandom.bytes(count: keyByteCount)
        sealed.nonce = SecureRandom.bytes(count: nonceByteCount)
        #expect(throws: CryptographyError.self) { try sealed.seal() }
        sealed.expectRefusal(.invalidLength, ciphertext: [1, 2, 3], tag: [UInt8](repeating: 0, count: 16))
    }
}

private struct Sealed {
    var key = SecureRandom.bytes(count: AESGCM.keyByteCount)
    var nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
    var data = "data".bytes

    func seal() throws -> (ciphertext: [UInt8], tag: [UInt8]) {
        try AESGCM.seal("a plaintext of a length".bytes, key: key, nonce: nonce, authenticating: data)
    }

    func expectRefusal(
        _ code: CryptographyError.Code, ciphertext: [UInt8], tag: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: CryptographyError.self, sourceLocation: sourceLocation) {
            _ = try AESGCM.open(ciphertext: ciphertext, tag: tag, key: key, nonce: nonce, authenticating: data)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }
}

struct GCMVector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let nonce: String
    let plaintext: String
    let data: String
    let ciphertext: String
    let tag: String

    var testDescription: String { name }
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: the cases with AES-256 and nonces of 96 bits.
private let specificationCases = [
    GCMVector(
        name: "test case 13", key: zeros(32), nonce: zeros(12), plaintext: "", data: "", ciphertext: "",
        tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMVector(
        name: "test case 14", key: zeros(32), nonce: zeros(12), plaintext: zeros(16), data: "",
        ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMVector(
        name: "test case 15", key: longKey, nonce: "cafebabefacedbaddecaf888", plaintext: longPlaintext + "1aafd255",
        data: "", ciphertext: longCiphertext + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCMVector(
        name: "test case 16", key: longKey, nonce: "cafebabefacedbaddecaf888", plaintext: longPlaintext,
        data: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: longCiphertext,
        tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
]

private func zeros(_ byteCount: Int) -> String { String(repeating: "00", count: byteCount) }
private let longKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
private let longPlaintext = """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
    b16aedf5aa0de657ba637b39
    """
private let longCiphertext = """
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
    c5f61e6393ba7a0abcc9f662
    """
